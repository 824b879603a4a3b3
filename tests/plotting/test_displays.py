"""The displays: what they draw, where, and what they leave alone."""

from __future__ import annotations

import itertools
import subprocess
import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_moons
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from quickshiftpp import MCores, QuickShift, QuickshiftPP
from quickshiftpp.plotting import (
    ClusterCountDisplay,
    ClusterDisplay,
    ModeTreeDisplay,
    ProminenceDisplay,
    StabilityDisplay,
    cluster_colors,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

RANDOM = np.random.default_rng(0)
MOONS = make_moons(500, noise=0.05, random_state=0)[0]
DUPLICATES = np.concatenate(
    [np.repeat([[0.0, 0.0], [1.0, 1.0], [9.0, 9.0]], 12, axis=0), RANDOM.normal(size=(150, 2))]
)
NOISE = RANDOM.uniform(size=(3000, 2))
CASES = {
    "moons": (QuickshiftPP(20, 0.7), MOONS),
    "duplicates": (QuickshiftPP(10, 0.5), DUPLICATES),
    "noise": (QuickshiftPP(6, 0.3), NOISE),
    "large clusters": (QuickshiftPP(6, 0.3, min_cluster_size=40), NOISE),
    "one cluster": (QuickshiftPP(60, 0.8), RANDOM.normal(size=(300, 2))),
    "thirty": (QuickshiftPP(5, 0.5), RANDOM.normal(size=(30, 2))),
    "iris": (MCores(13, 0.3), load_iris().data),
    "all infinite": (QuickshiftPP(1, 0.3), RANDOM.normal(size=(15, 2))),
    "one sample": (QuickshiftPP(1, 0.3), np.zeros((1, 2))),
    "one place": (QuickshiftPP(2, 0.3), np.zeros((5, 2))),
    "one column": (QuickshiftPP(20, 0.5), MOONS[:, :1]),
    "one column, duplicates": (QuickshiftPP(10, 0.5), DUPLICATES[:, :1]),
    "one place in space": (QuickshiftPP(2, 0.3), np.zeros((5, 4))),
    "extreme values": (QuickshiftPP(5, 0.3), RANDOM.normal(size=(40, 3)) * 1e200),
    "tiny values": (QuickshiftPP(5, 0.3), RANDOM.normal(size=(40, 3)) * 1e-200),
    "more columns than samples": (QuickshiftPP(3, 0.3), RANDOM.normal(size=(6, 40))),
}
OF_ESTIMATORS = [ProminenceDisplay, ClusterCountDisplay, ModeTreeDisplay, ClusterDisplay]


@pytest.fixture(scope="module")
def models():
    return {name: model.fit(X) for name, (model, X) in CASES.items()}


@pytest.fixture(autouse=True)
def _quiet_pyplot(monkeypatch):
    """Nothing is shown, no setting changes, and no figure outlives its test."""

    def fail(*_args, **_kwargs):
        raise AssertionError("a display called show()")

    monkeypatch.setattr(plt, "show", fail)
    monkeypatch.setattr(Figure, "show", fail)
    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before
    plt.close("all")


def make_sweep(n_ks, n_betas, seed=0):
    random = np.random.default_rng(seed)
    n_clusters = np.sort(random.integers(1, 9, (n_ks, n_betas)), axis=1)[:, ::-1]
    return SimpleNamespace(
        ks=np.arange(5, 5 + n_ks),
        betas=np.linspace(0.1, 0.9, n_betas),
        n_clusters=n_clusters,
        agreement_k=random.uniform(0, 1, (n_ks - 1, n_betas)),
        agreement_beta=random.uniform(0, 1, (n_ks, n_betas - 1)),
        stability=random.uniform(-0.1, 1, (n_ks, n_betas)),
    )


def draw(display, models, name, **kwargs):
    samples = (CASES[name][1],) if display is ClusterDisplay else ()
    return display.from_estimator(models[name], *samples, **kwargs)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("display", OF_ESTIMATORS)
def test_draws_everything_into_the_axes_given(models, display, name):
    ax = Figure(layout="constrained").subplots()
    drawn = draw(display, models, name, ax=ax)
    assert isinstance(drawn, display)
    assert drawn.ax_ is ax
    assert drawn.figure_ is ax.figure
    assert plt.get_fignums() == []
    ax.figure.canvas.draw()
    assert all(np.isfinite(ax.get_xlim()))
    assert all(np.isfinite(ax.get_ylim()))


@pytest.mark.parametrize("display", OF_ESTIMATORS)
def test_makes_one_figure_where_no_axes_are_given(models, display):
    drawn = draw(display, models, "moons")
    assert plt.get_fignums() == [drawn.figure_.number]
    again = drawn.plot()
    assert again is drawn
    assert len(plt.get_fignums()) == 2


@pytest.mark.parametrize("display", OF_ESTIMATORS)
def test_axes_of_a_shared_grid(models, display):
    figure = Figure()
    for ax in figure.subplots(1, 2, sharex=True, sharey=True):
        draw(display, models, "moons", ax=ax)
    figure.canvas.draw()


@pytest.mark.parametrize("display", OF_ESTIMATORS)
def test_refuses_what_is_not_fitted(display):
    with pytest.raises(NotFittedError):
        display.from_estimator(QuickshiftPP(), *((MOONS,) if display is ClusterDisplay else ()))


@pytest.mark.parametrize("display", OF_ESTIMATORS[:3])
def test_refuses_an_estimator_without_a_tree(display):
    model = QuickShift(0.1, 0.3).fit(MOONS)
    with pytest.raises(TypeError, match="QuickShift has no tree of modes"):
        display.from_estimator(model)


@pytest.mark.parametrize("name", CASES)
def test_prominence_points(models, name):
    model, drawn = models[name], draw(ProminenceDisplay, models, name)
    modes = model.tree_.modes
    ours, rest = drawn.clusters_.get_offsets(), drawn.others_.get_offsets()
    assert len(ours) == model.n_clusters_
    assert len(rest) == len(modes) - model.n_clusters_
    np.testing.assert_array_equal(
        drawn.clusters_.get_facecolor()[:, :3], cluster_colors(np.arange(model.n_clusters_))
    )
    of_cluster = modes[np.isin(modes["index"], model.mode_indices_)]
    finite = np.isfinite(of_cluster["log_density"])
    np.testing.assert_array_equal(ours[finite, 0], of_cluster["log_density"][finite])
    met = of_cluster["parent"] >= 0
    np.testing.assert_array_equal(ours[met, 1], of_cluster["saddle_log_density"][met])
    assert (drawn.foot_line_ is None) == (modes["parent"] >= 0).all()
    np.testing.assert_array_equal(ours[~met, 1], drawn.foot_line_.get_ydata()[0])
    assert (drawn.ceiling_line_ is None) == np.isfinite(modes["log_density"]).all()
    if drawn.ceiling_line_ is not None:
        np.testing.assert_array_equal(ours[~finite, 0], drawn.ceiling_line_.get_xdata()[0])


@pytest.mark.parametrize("name", ["moons", "duplicates", "noise", "one cluster", "iris"])
def test_the_line_of_beta_parts_clusters_from_the_rest(models, name):
    model, drawn = models[name], draw(ProminenceDisplay, models, name)
    shift = np.log1p(-model.beta_)
    x, y = drawn.beta_line_.get_data()
    np.testing.assert_allclose(y - x, shift)
    assert x[1] > x[0]  # in sight
    for points, below in ((drawn.clusters_, True), (drawn.others_, False)):
        born, dies = points.get_offsets().T
        merges = dies > drawn.foot_line_.get_ydata()[0]
        assert ((dies < born + shift)[merges] == below).all()
    assert drawn.annotations_[0].get_text().startswith("0")


@pytest.mark.parametrize("name", ["moons", "duplicates", "noise", "iris", "all infinite"])
def test_counts_are_those_of_the_tree(models, name):
    model, drawn = models[name], draw(ClusterCountDisplay, models, name)
    counts, edges, _ = drawn.steps_.get_data()
    assert (edges[0], edges[-1]) == (0, 1)
    wide = np.diff(edges) > 1e-9
    middles = 0.5 * (edges[:-1] + edges[1:])[wide]
    np.testing.assert_array_equal(counts[wide], model.tree_.n_clusters(middles))
    assert drawn.current_.get_xydata().tolist() == [[model.beta_, model.n_clusters_]]
    assert drawn.beta_line_.get_xdata()[0] == model.beta_
    assert drawn.ax_.get_yscale() == "log"


def test_counts_of_large_clusters(models):
    model = models["large clusters"]
    drawn = ClusterCountDisplay.from_estimator(model, n_betas=20)
    counts, edges, _ = drawn.steps_.get_data()
    for beta, count in zip(0.5 * (edges[:-1] + edges[1:]), counts, strict=True):
        assert model.tree_.labels(beta, min_cluster_size=40).max() + 1 == count


def test_plateaus(models):
    drawn = draw(ClusterCountDisplay, models, "moons", n_plateaus=2)
    assert [text.get_text() for text in drawn.annotations_] == ["2 clusters", "4"]
    for text in drawn.annotations_:
        beta, count = text.xy
        assert models["moons"].tree_.n_clusters(beta) == count
    assert draw(ClusterCountDisplay, models, "one sample").annotations_[0].get_text() == "1 cluster"


def test_stability_cells_and_numbers():
    sweep = make_sweep(6, 8)
    drawn = StabilityDisplay.from_sweep(sweep)
    drawn.figure_.canvas.draw()
    np.testing.assert_array_equal(drawn.cells_.get_array(), sweep.stability)
    written = [int(number.get_text()) for number in drawn.numbers_]
    assert written == sweep.n_clusters.ravel().tolist()
    n_borders = (np.diff(sweep.n_clusters) != 0).sum()
    n_borders += (np.diff(sweep.n_clusters, axis=0) != 0).sum()
    assert len(drawn.borders_.get_segments()) == n_borders
    assert [tick.get_text() for tick in drawn.ax_.get_yticklabels()] == [*"56789", "10"]


def test_stability_of_a_fine_grid():
    """No room in the cells: a number in each region that has room, and in no other place."""
    sweep = make_sweep(40, 60)
    sweep.n_clusters = np.where(np.arange(60) < 25, 12, 3) + np.zeros((40, 1), dtype=int)
    sweep.n_clusters[0, 0] = 7
    drawn = StabilityDisplay.from_sweep(sweep)
    drawn.figure_.canvas.draw()
    assert sorted(int(number.get_text()) for number in drawn.numbers_) == [3, 12]
    for number in drawn.numbers_:
        column, row = (int(place) for place in number.get_position())
        assert number.get_text() == str(sweep.n_clusters[row, column])


def test_stability_without_neighbors_or_scale():
    sweep = make_sweep(1, 1)
    sweep.stability = np.full((1, 1), np.nan)
    drawn = StabilityDisplay.from_sweep(sweep, ax=Figure().subplots(), colorbar=False)
    drawn.figure_.canvas.draw()
    assert drawn.colorbar_ is None
    assert len(drawn.figure_.axes) == 1
    drawn = StabilityDisplay.from_sweep(make_sweep(3, 3), vmin=0.2, cmap="cividis")
    assert drawn.cells_.norm.vmin == 0.2
    assert drawn.cells_.get_cmap().name == "cividis"


@pytest.mark.parametrize("name", CASES)
def test_dendrogram_is_the_tree(models, name):
    model = models[name]
    modes = model.tree_.modes
    drawn = draw(ModeTreeDisplay, models, name, max_modes=len(modes))
    x, foot = drawn.positions_, drawn.ax_.get_ylim()[0]
    assert sorted(x) == list(range(len(modes)))
    stems = np.array(drawn.stems_.get_segments())
    finite = np.isfinite(modes["log_density"])
    np.testing.assert_array_equal(stems[:, :, 0], np.stack([x, x], axis=1))
    np.testing.assert_array_equal(stems[finite, 1, 1], modes["log_density"][finite])
    met = modes["parent"] >= 0
    np.testing.assert_array_equal(stems[met, 0, 1], modes["saddle_log_density"][met])
    np.testing.assert_array_equal(stems[~met, 0, 1], foot)
    joints = np.array(drawn.joints_.get_segments()).reshape(-1, 2, 2)
    saddles = modes["saddle_log_density"][met]
    expected = np.stack([x[met], saddles, x[modes["parent"][met]], saddles], axis=1)
    np.testing.assert_array_equal(joints.reshape(-1, 4), expected)
    assert "all" in drawn.ax_.get_xlabel() or len(modes) == 1


@pytest.mark.parametrize("name", ["moons", "duplicates", "noise"])
def test_branches_do_not_cross(models, name):
    drawn = draw(ModeTreeDisplay, models, name, max_modes=300)
    stems = np.array(drawn.stems_.get_segments())
    for (start, level), (end, _) in drawn.joints_.get_segments():
        between = (stems[:, 0, 0] > min(start, end)) & (stems[:, 0, 0] < max(start, end))
        assert not (between & (stems[:, 0, 1] < level) & (level < stems[:, 1, 1])).any()


@pytest.mark.parametrize("max_modes", [1, 7, 40])
def test_only_the_most_prominent_modes(models, max_modes):
    modes = models["noise"].tree_.modes
    drawn = draw(ModeTreeDisplay, models, "noise", max_modes=max_modes)
    shown = drawn.shown
    assert len(drawn.stems_.get_segments()) == len(shown) == max_modes
    left_out = np.delete(modes["prominence"], shown)
    assert modes["prominence"][shown].min() >= left_out.max()
    parents = modes["parent"][shown]
    assert np.isin(parents[parents >= 0], shown).all()
    assert f"the {max_modes} most prominent of {len(modes)} modes" in drawn.ax_.get_xlabel()


def test_dendrogram_cores(models):
    model, drawn = models["moons"], draw(ModeTreeDisplay, models, "moons")
    segments = np.array(drawn.cores_.get_segments())
    assert len(segments) == len(drawn.tips_.get_offsets()) == model.n_clusters_
    top = model.log_density_[model.mode_indices_]
    np.testing.assert_array_equal(segments[:, 1, 1], top)
    np.testing.assert_allclose(segments[:, 0, 1], top + np.log1p(-0.7))
    np.testing.assert_array_equal(drawn.cores_.get_color()[:, :3], cluster_colors([0, 1]))
    assert [text.get_text() for text in drawn.annotations_] == ["0", "1"]
    with pytest.raises(ValueError, match="max_modes is 0"):
        draw(ModeTreeDisplay, models, "moons", max_modes=0)


def plane_of(model, X):
    """The default view: values and log densities, two columns, or two principal components."""
    if X.shape[1] == 1:
        return np.column_stack([X, model.log_density_])
    if X.shape[1] == 2 or (X[0] == X).all():
        return X[:, :2]
    largest = np.abs(X).max()
    centered = X / largest - (X / largest).mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2][:2]
    strongest = np.abs(axes).argmax(axis=1)
    return largest * centered @ (axes * np.sign(axes[[0, 1], strongest])[:, None]).T


@pytest.mark.parametrize("name", CASES)
def test_samples_inside_and_outside_of_cores(models, name):
    (model, X), drawn = (models[name], CASES[name][1]), draw(ClusterDisplay, models, name)
    inside = model.core_labels_ >= 0
    points, scale = plane_of(model, X), np.abs(X).max()
    for artist, rows in (
        (drawn.cores_, inside),
        (drawn.others_, ~inside),
        (drawn.modes_, model.mode_indices_),
    ):
        offsets, expected = np.asarray(artist.get_offsets()), points[rows]
        if X.shape[1] == 2:
            np.testing.assert_array_equal(offsets, expected)
        finite = np.isfinite(expected)
        np.testing.assert_allclose(offsets[finite], expected[finite], atol=1e-12 * scale)
        highest = points[np.isfinite(points[:, 1]), 1].max(initial=-np.inf)
        assert (offsets[~finite] > highest).all()
    np.testing.assert_array_equal(
        drawn.cores_.get_facecolor()[:, :3], cluster_colors(model.labels_[inside])
    )
    pale = drawn.others_.get_facecolor()[:, :3]
    assert (pale >= cluster_colors(model.labels_[~inside])).all()


def test_many_samples_are_rasterized():
    X = np.random.default_rng(1).normal(size=(6000, 2))
    drawn = ClusterDisplay.from_estimator(QuickshiftPP(20).fit(X), X)
    assert drawn.cores_.get_rasterized()
    assert drawn.others_.get_rasterized()


def test_samples_without_cores():
    model = QuickShift(0.1, 0.3).fit(MOONS)
    drawn = ClusterDisplay.from_estimator(model, MOONS)
    assert len(drawn.cores_.get_offsets()) == len(MOONS)


def test_columns_by_number_and_name():
    table = load_iris(as_frame=True).data
    model = QuickshiftPP(13, 0.3).fit(table)
    by_name = ClusterDisplay.from_estimator(
        model, table, columns=["petal length (cm)", "petal width (cm)"]
    )
    by_number = ClusterDisplay.from_estimator(model, table, columns=(2, -1))
    np.testing.assert_array_equal(by_name.points, table.to_numpy()[:, 2:])
    np.testing.assert_array_equal(by_number.points, by_name.points)
    assert by_name.ax_.get_ylabel() == by_number.ax_.get_ylabel() == "petal width (cm)"
    for columns, message in {
        (0, 4): "columns holds 4, but X has 4 columns",
        ("sepal",): "must be a pair",
        "ab": "must be a pair",
        (0, 1.5): "columns holds 1.5, but X has 4 columns",
        ("sepal", 1): r"columns holds 'sepal', .* numbers 0 to 3 and the names sepal length",
    }.items():
        with pytest.raises(ValueError, match=message):
            ClusterDisplay.from_estimator(model, table, columns=columns)
    with pytest.raises(ValueError, match="give the samples of the fit"):
        ClusterDisplay.from_estimator(model, pd.concat([table, table]))


def test_one_column_is_drawn_against_its_density(models):
    drawn = draw(ClusterDisplay, models, "one column")
    assert drawn.names == ("column 0", "log density")
    assert drawn.ax_.get_aspect() == "auto"
    assert "\N{INFINITY}" not in [tick.get_text() for tick in drawn.ax_.get_yticklabels()]
    drawn = draw(ClusterDisplay, models, "one column, duplicates")
    ticks = {tick.get_text(): tick.get_position()[1] for tick in drawn.ax_.get_yticklabels()}
    infinite = np.isposinf(models["one column, duplicates"].log_density_)
    assert infinite.any()
    heights = np.concatenate([drawn.cores_.get_offsets(), drawn.others_.get_offsets()])[:, 1]
    assert (heights == ticks["\N{INFINITY}"]).sum() == infinite.sum()


def test_many_columns_are_projected_onto_principal_components(models):
    drawn, again = (draw(ClusterDisplay, models, "iris") for _ in range(2))
    assert drawn.names == ("PC 1 (92% of variance)", "PC 2 (5% of variance)")
    np.testing.assert_array_equal(drawn.points, again.points)
    table = load_iris(as_frame=True).data
    for same in (table, table.to_numpy().astype(np.float32)[:, ::-1]):
        model = QuickshiftPP(13, 0.3).fit(same)
        view = ClusterDisplay.from_estimator(model, same)
        np.testing.assert_allclose(view.points, drawn.points, atol=1e-5)


def test_samples_on_a_line_stay_on_a_line():
    X = np.outer(RANDOM.normal(size=60), [1.0, 2.0, 3.0])
    drawn = ClusterDisplay.from_estimator(QuickshiftPP(5, 0.3).fit(X), X)
    assert drawn.names == ("PC 1 (100% of variance)", "PC 2 (0.0% of variance)")
    np.testing.assert_array_equal(drawn.points[:, 1], 0)


@pytest.mark.parametrize("display", OF_ESTIMATORS)
def test_pipelines_are_drawn_like_their_last_step(display):
    X = load_iris(as_frame=True).data
    scaled = StandardScaler().fit_transform(X)
    model = QuickshiftPP(13, 0.3).fit(scaled)
    expected = display.from_estimator(model, *((scaled,) if display is ClusterDisplay else ()))
    inner = make_pipeline("passthrough", QuickshiftPP(13, 0.3))
    for pipeline in (make_pipeline(StandardScaler(), QuickshiftPP(13, 0.3)),
                     make_pipeline(StandardScaler(), inner)):  # fmt: skip
        pipeline.fit(X)
        drawn = display.from_estimator(pipeline, *((X,) if display is ClusterDisplay else ()))
        for name, value in vars(expected).items():
            if isinstance(value, np.ndarray | tuple | float | int):
                np.testing.assert_array_equal(getattr(drawn, name), value)
    alone = make_pipeline(QuickshiftPP(13, 0.3)).fit(scaled)
    display.from_estimator(alone, *((scaled,) if display is ClusterDisplay else ()))


def test_columns_of_a_pipeline_are_those_before_it():
    table = load_iris(as_frame=True).data
    pipeline = make_pipeline(StandardScaler(), QuickshiftPP(13, 0.3)).fit(table)
    by_name = ClusterDisplay.from_estimator(pipeline, table, columns=("petal width (cm)", 0))
    np.testing.assert_array_equal(by_name.points, table.to_numpy()[:, [3, 0]])
    assert by_name.names == ("petal width (cm)", "sepal length (cm)")
    pipeline = make_pipeline(StandardScaler(), QuickshiftPP(13, 0.3)).fit(table.iloc[:, :2])
    names = ClusterDisplay.from_estimator(pipeline, table.iloc[:, :2]).names
    assert names == ("sepal length (cm) (transformed)", "sepal width (cm) (transformed)")
    pipeline = make_pipeline(PCA(2), QuickshiftPP(13, 0.3)).fit(table)
    assert ClusterDisplay.from_estimator(pipeline, table).names == ("pca0", "pca1")
    pipeline = make_pipeline(FunctionTransformer(np.asarray), QuickshiftPP(13, 0.3))
    pipeline.fit(table.iloc[:, :2])
    names = ClusterDisplay.from_estimator(pipeline, table.iloc[:, :2]).names
    assert names == ("column 0", "column 1")


def test_coordinates_of_the_user(models):
    model, places = models["iris"], np.random.default_rng(3).normal(size=(150, 2))
    drawn = ClusterDisplay.from_estimator(model, coordinates=places)
    np.testing.assert_array_equal(drawn.points, places)
    np.testing.assert_array_equal(drawn.modes_.get_offsets(), places[model.mode_indices_])
    frame = pd.DataFrame(places, columns=["UMAP 1", "UMAP 2"])
    pipeline = make_pipeline(StandardScaler(), MCores(13, 0.3)).fit(load_iris().data)
    drawn = ClusterDisplay.from_estimator(pipeline, load_iris().data, coordinates=frame)
    np.testing.assert_array_equal(drawn.points, places)
    assert drawn.names == ("UMAP 1", "UMAP 2")


def test_bad_coordinates_and_columns(models):
    model, X = models["iris"], load_iris().data
    gaps = np.full((150, 2), np.nan)
    gaps[:7] = 0
    for options, message in (
        ({"coordinates": X}, r"shape \(150, 4\), but it must have the shape \(150, 2\)"),
        ({"coordinates": X[:9, :2]}, r"shape \(9, 2\), .* one pair for each sample"),
        ({"coordinates": gaps}, "NaN or infinite values in 143 of 150 rows, the first in row 7"),
        ({"coordinates": [["a", "b"]] * 150}, "values that are not numbers"),
        ({"coordinates": X[:, :2], "columns": (0, 1)}, "give one of the two, not both"),
        ({}, "X is None and coordinates is None, .* give the samples of the fit"),
        ({"X": X[:9]}, r"X has the shape \(9, 4\), .* give the samples of the fit"),
        ({"X": X[:9], "columns": (0, 1)}, r"X has the shape \(9, 4\), .* 150 rows"),
        ({"X": np.full(X.shape, "x"), "columns": (0, 1)}, "not all of their values are numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            ClusterDisplay.from_estimator(model, **options)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("display", OF_ESTIMATORS)
def test_other_estimators_are_refused(display):
    samples = (MOONS,) if display is ClusterDisplay else ()
    for other in (KMeans(2, n_init=1).fit(MOONS), make_pipeline(PCA(2), KMeans(2)).fit(MOONS)):
        with pytest.raises(TypeError, match=r"estimator is a KMeans, .* give a QuickshiftPP"):
            display.from_estimator(other, *samples)
    with pytest.raises(NotFittedError):
        display.from_estimator(make_pipeline(StandardScaler(), QuickshiftPP()), *samples)


def test_style_of_the_caller_wins(models):
    points = draw(ProminenceDisplay, models, "moons", color="black", lw=2).clusters_
    assert points.get_facecolor()[0].tolist() == [0, 0, 0, 1]
    assert points.get_linewidth()[0] == 2
    assert draw(ClusterCountDisplay, models, "moons", lw=3).steps_.get_linewidth() == 3
    assert draw(ModeTreeDisplay, models, "moons", linewidths=5).cores_.get_linewidth() == [5]
    assert draw(ClusterDisplay, models, "moons", s=3, c="red").others_.get_sizes() == [3]


def seen(colors, vision):
    """Colors in Oklab, as seen with a kind of vision (Machado, Oliveira, Fernandes 2009)."""
    kinds = {
        "normal": np.eye(3),
        "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    }
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
    lab = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    return np.cbrt(np.clip(linear @ np.array(kinds[vision]).T, 0, 1) @ np.array(cones).T) @ (
        np.array(lab).T
    )


@pytest.mark.parametrize("vision", ["normal", "protanopia", "deuteranopia", "tritanopia"])
def test_ten_colors_and_the_gray_differ_for_everyone(vision):
    places = seen(cluster_colors([*range(10), -1]), vision)
    for one, other in itertools.combinations(places, 2):
        assert np.linalg.norm(one - other) > 0.08


def test_colors_repeat_with_variation():
    colors = cluster_colors(np.arange(30))
    assert len(np.unique(colors, axis=0)) == 30
    np.testing.assert_array_equal(cluster_colors([0, 30])[0], cluster_colors([0, 30])[1])
    assert cluster_colors(np.zeros((2, 5), dtype=int)).shape == (2, 5, 3)


def test_the_missing_extra_is_named():
    program = """
import sys
sys.modules["matplotlib"] = None
import numpy as np
from quickshiftpp import QuickshiftPP, plotting
X = np.random.default_rng(0).normal(size=(50, 2))
model = QuickshiftPP(5).fit(X)
for name in ("Prominence", "ClusterCount", "ModeTree", "Cluster", "Stability"):
    display = getattr(plotting, name + "Display")
    try:
        if name == "Stability":
            display([1], [0.5], n_clusters=np.ones((1, 1)), stability=np.ones((1, 1))).plot()
        else:
            display.from_estimator(model, *([X] if name == "Cluster" else []))
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 5, done.stderr
    for line in lines:
        assert line.endswith(
            "needs matplotlib, which is not installed: pip install 'quickshiftpp[plot]'"
        )
