"""Edits, ends of everything that can end, and starts, in random orders: nothing is lost, nothing is made twice."""

import os

import pytest

from conftest import free_port
from orders import Order, orders
from test_kept import profile  # noqa: F401
from test_without_program import keep_files

MANY = int(os.environ.get("OPENSWIFTDATA_TEST_ORDERS", "6"))


@pytest.mark.parametrize(
    "way, steps", list(orders(MANY)), ids=[f"order {number}" for number in range(MANY)])
def test_random_orders_lose_and_repeat_nothing(world, visit, profile, way, steps):  # noqa: F811
    """All kinds of edits, killed programs, servers and browsers, closed tabs, lost answers, and another device."""
    world.start_server()
    port = free_port()
    device = world.device("a", port)
    if way == "killed browser":
        page = profile(device)
    else:
        keeps = way == "kept files"
        page = visit(device, service_workers="allow" if keeps else "block").loaded()
        if keeps:
            keep_files(page)
    order = Order(world, device, page, port)
    order.begin()
    for kind, number in steps:
        order.step(kind, number, opens_without_program=way == "kept files")
    order.end()
    order.compare()
    page.context.unroute_all()
    page.page.evaluate("window.violations = []")
    page.errors.clear()
