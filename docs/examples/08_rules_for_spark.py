"""
The same rules for Spark
========================

Every SQL dialect has its own rules for names, numbers and missing values. The export follows them, so a
table on a thousand machines gets the same answers as on one.
"""

import shutil
from importlib.util import find_spec

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
# If Java and pyspark are installed, the query runs here, and its answers are compared. ``make exports`` does this for every
# model and 20,000 hard rows.
if shutil.which("java") is None or find_spec("pyspark") is None:
    print("Java or pyspark is not installed: the query was not run.")
else:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").getOrCreate()
    rows = session.createDataFrame(iris.data.to_numpy().tolist(), list(iris.data))
    rows.createOrReplaceTempView("flowers")
    found = [row["prediction"] for row in session.sql(query).collect()]
    assert found == model.predict(iris.data).tolist()
    print("the same answers in Spark:", len(found))
    session.stop()
