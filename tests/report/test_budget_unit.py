"""The budget on a page names what a person is, and shows what was charged in that unit."""

import noisewright as nw
from noisewright.ledger.units import AccountUnit
from noisewright.report.budget import view_budget
from noisewright.report.rendering import load_templates


def test_the_unit_of_the_account_is_named_and_the_charge_is_in_it() -> None:
    unit = AccountUnit("<b>patient", 3)
    left = nw.accounting.Guarantee(3)
    balance = nw.results.Balance(
        "", nw.accounting.Guarantee(7), nw.accounting.Guarantee(4), left, unit=unit
    )
    charged = balance.charge(nw.accounting.Guarantee(1), all_rows=False)
    assert charged == nw.accounting.Guarantee(3)
    budget = load_templates().get_template("budget.html.jinja").module.budget
    page = str(budget(view_budget(balance, charged), True, "release"))
    assert "at most 3 rows" in page
    assert "&lt;b&gt;patient" in page
    assert "spent before ε = 1, spent by this release ε = 3, left ε = 3" in page
    assert balance.charge(nw.accounting.Guarantee(1), all_rows=True) == nw.accounting.Guarantee(1)


def test_a_budget_in_rho_is_shown_in_rho() -> None:
    rho = nw.accounting.ZeroConcentrated
    none = nw.accounting.Guarantee(0, 1)
    balance = nw.results.Balance(
        "",
        none,
        none,
        nw.accounting.Guarantee(0),
        rho=nw.results.RhoBudget(rho("1/2"), rho("1/8"), rho("3/8")),
    )
    view = view_budget(balance, nw.accounting.Guarantee(1, "1e-6"))
    budget = load_templates().get_template("budget.html.jinja").module.budget
    page = str(budget(view, True, "release"))
    assert "spent in all ρ = 0.125, left ρ = 0.375" in page
    assert "a budget of ρ = 0.5 for each" in page
    assert "ε" not in page
