"""Answers of the server, and its refusals."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from rulewright.workbench.access import PAGE_POLICY

HTML = "text/html; charset=utf-8"
JSON = "application/json"


@dataclass(frozen=True)
class Response:
    """An answer: its status, its content and its kind, and further headers."""

    content: bytes
    kind: str = HTML
    status: HTTPStatus = HTTPStatus.OK
    policy: str = PAGE_POLICY
    headers: dict[str, str] = field(default_factory=dict)


class RequestError(Exception):
    """A request that is not answered."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


def page_response(text: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return a page."""
    return Response(text.encode(), status=status)


def json_response(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return a JSON value."""
    return Response(json.dumps(value).encode(), JSON, status)


def download_response(content: bytes, name: str) -> Response:
    """Return a file that a browser saves and does not show."""
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": disposition}
    return Response(content, "application/octet-stream", headers=headers)


def redirect_response(address: str, **headers: str) -> Response:
    """Return an answer that leads to another page."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(b"", status=HTTPStatus.SEE_OTHER, headers={"Location": address, **more})


def not_found() -> RequestError:
    """Refusal of an address that leads nowhere."""
    return RequestError(HTTPStatus.NOT_FOUND, "There is no such page.")
