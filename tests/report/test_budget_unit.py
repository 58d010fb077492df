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
