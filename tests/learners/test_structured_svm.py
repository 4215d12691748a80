from typing import Literal

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from hopefear.learners import StructuredSvm
from hopefear.types import FloatArray
from tuning_sets import next_state, start_vector, synthetic_set


@pytest.mark.parametrize(
    ("strength", "choice"), [(0.01, "max-metric"), (1.0, "max-metric"), (1.0, "hope")]
)
def test_the_weights_are_those_of_an_independent_solver(
    strength: float, choice: Literal["max-metric", "hope"]
) -> None:
    data = synthetic_set(sentences=6, size=5)
    start = 2 * start_vector(data)
    learner = StructuredSvm(strength=strength, reference=choice, tolerance=1e-7)
    state = learner.start(data, start, start)
    for epoch in range(1000):
        following = next_state(learner, data, state, (1, epoch))
        if following is state:
            break
        state = following
    else:
        pytest.fail("the search did not end")

    # minimize ½‖w − w₀‖² + C/N Σ ξᵢ  over (w, ξ), with one constraint for each hypothesis
    h = np.array([list(data.nbest.features_of(row).values()) for row in range(len(data.nbest))])
    costs = learner.cost_scale * data.costs
    n, d = data.nbest.sentence_count, len(start)
    rows, bounds = [], []
    for i in range(n):
        hypotheses = list(data.nbest.rows(i))
        model = h @ start if choice == "hope" else np.zeros(len(h))
        reference = max(hypotheses, key=lambda row: model[row] - costs[row])
        for row in hypotheses:
            rows.append(np.concatenate([h[reference] - h[row], np.eye(n)[i]]))
            bounds.append(costs[row] - costs[reference])

    def objective(x: FloatArray) -> tuple[float, FloatArray]:
        w, xi = x[:d], x[d:]
        value = ((w - start) ** 2).sum() / 2 + strength / n * xi.sum()
        return float(value), np.concatenate([w - start, np.full(n, strength / n)])

    trusted = minimize(
        objective,
        np.concatenate([start, np.full(n, 100.0)]).tolist(),
        jac=True,
        constraints=LinearConstraint(np.array(rows), np.array(bounds), np.inf),
        method="SLSQP",
        options={"maxiter": 1000},
        tol=1e-12,
    )
    w = learner.weights(state)
    slack = [
        max(bounds[j] - rows[j][:d] @ w for j in range(len(rows)) if rows[j][d + i])
        for i in range(n)
    ]
    assert objective(np.concatenate([w, slack]))[0] == pytest.approx(trusted.fun, rel=1e-5)
    np.testing.assert_allclose(w, trusted.x[:d], atol=1e-3)
