"""Routes that are called directly, without FastAPI.

For a route that takes the request and returns the response, FastAPI only finds the route; without
that, such a request costs half as much. All other routes are called by FastAPI.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import iscoroutinefunction
from typing import get_type_hints

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

Direct = Mapping[tuple[str, str], APIRoute]
"""Method and path -> the route."""


def direct_routes(routers: Iterable[APIRouter]) -> Direct:
    """Return the routes that can be called directly."""
    return {
        (method, route.path): route
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and _is_direct(route)
        for method in route.methods or ()
    }


def _is_direct(route: APIRoute) -> bool:
    hints = get_type_hints(route.endpoint)
    returned = hints.pop("return", None)
    return (
        "{" not in route.path
        and iscoroutinefunction(route.endpoint)
        and list(hints.values()) == [Request]
        and not route.dependencies
        and isinstance(returned, type)
        and issubclass(returned, Response)
    )


async def call_at_once(
    endpoint: Callable[[Request], Awaitable[Response]], scope: Scope, receive: Receive, send: Send
) -> None:
    """Call a route as an ASGI app."""
    answer = await endpoint(Request(scope, receive))
    await answer(scope, receive, send)
