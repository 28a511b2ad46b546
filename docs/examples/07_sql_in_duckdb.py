"""
Rules as SQL, run in DuckDB
===========================

The rows do not leave the database: a model is a query. The exported query has the same answers as the
model, bit by bit, with missing values and all.
"""

import duckdb
from sklearn.datasets import load_breast_cancer

from rulewright import RipperClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = RipperClassifier().fit(X, y.map({0: "malignant", 1: "benign"})).model_
print(model)

# %%
# A view over a table, which keeps no column of it here:
query = model.to_sql("duckdb", shape="select", table="tumours")
print(query)

# %%
# Run it, and compare.
connection = duckdb.connect()
connection.register("tumours", X)
rows = connection.sql(query).df()
print(rows["prediction"].value_counts().to_string())
same = (rows["prediction"].to_numpy() == model.predict(X)).all()
print("the same answers:", bool(same))
assert same
