"""
The same rules for Spark
========================

Every dialect has its own rules for names, numbers and missing values. The export writes them, so that a
table of a thousand machines is answered as the model answers it on one.
"""

from sklearn.datasets import load_iris

from rulewright import TreeRulesClassifier

iris = load_iris(as_frame=True)
model = TreeRulesClassifier().fit(iris.data, iris.target_names[iris.target]).model_
print(model)

# %%
# Spark quotes names with backticks, and has a NaN that is above all numbers:
query = model.to_sql("spark", shape="select", table="flowers")
print(query)

# %%
# Where pyspark is installed, the query is run and compared here. `make exports` does this for every
# model and 20,000 hard rows.
try:
    from pyspark.sql import SparkSession
except ImportError:
    print("pyspark is not installed: the query was not run.")
else:
    session = SparkSession.builder.master("local[1]").getOrCreate()
    session.createDataFrame(iris.data).createOrReplaceTempView("flowers")
    found = session.sql(query).toPandas()["prediction"].tolist()
    assert found == model.predict(iris.data).tolist()
    print("the same answers in Spark:", len(found))
    session.stop()
