"""
Rules as SQL, run in DuckDB
===========================

The rows stay in the database, because the model becomes a query. The query gives exactly the same answers as the
model, on missing values too.
"""

import duckdb
from sklearn.datasets import load_breast_cancer

from rulewright import RipperClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = RipperClassifier().fit(X, y.map({0: "malignant", 1: "benign"})).model_
print(model)

# %%
# This query reads a table. It returns the answers, but no columns of the table:
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
