"""The Lua file for Neovim, in a real Neovim, with the real language server."""

import re

import pytest
from tests.editors.conftest import ROOT
from tests.editors.letter import (
    CALM_LINE,
    LETTER,
    MARKED,
    MARKED_LINE,
    TERM,
    repaired,
    write_letter,
)
from tests.editors.neovim import Neovim
from tests.local_server import Reply, serving

pytestmark = pytest.mark.editors

ON_PATH = f"vim.opt.runtimepath:append([[{ROOT / 'editors' / 'neovim'}]])\n"
SETTINGS = 'require("tactful").setup({ settings = { docs = "https://example.org/{id}" } })'


def documented(page: str, start: str) -> str:
    """Return the configuration of a page that starts so, with the path of this clone."""
    text = (ROOT / page).read_text(encoding="utf-8")
    (block,) = re.findall(rf"```lua\n({re.escape(start)}.*?)```", text, re.DOTALL)
    return str(block).replace("/path/to/tactful", str(ROOT))


@pytest.mark.parametrize(
    ("page", "start"),
    [
        ("docs/editors.md", "vim.opt.runtimepath"),
        ("docs/editors.md", "vim.lsp.config"),
        ("editors/neovim/README.md", "vim.opt.runtimepath"),
    ],
)
def test_the_documented_configuration_marks_a_term_and_replaces_it(
    neovim: Neovim, page: str, start: str
) -> None:
    if start == "vim.lsp.config" and not neovim.run("", "return vim.lsp.config ~= nil"):
        pytest.skip("vim.lsp.config needs Neovim 0.11 or newer")
    path = write_letter(neovim.folder)
    steps = f"""
    session.wait("a mark", function() return #session.marks_on({MARKED_LINE}) > 0 end)
    local marks = vim.diagnostic.get(0)
    vim.api.nvim_win_set_cursor(0, {{ {MARKED_LINE}, {MARKED.index(TERM)} }})
    vim.lsp.buf.code_action()
    session.wait("the fix", function()
      return not vim.api.nvim_buf_get_lines(0, 0, -1, false)[{MARKED_LINE}]:find("{TERM}", 1, true)
    end)
    vim.cmd("write")
    session.wait("no mark", function() return #session.marks_on({MARKED_LINE}) == 0 end)
    return {{ marks = marks, offered = session.offered, notified = session.notified }}
    """
    found = neovim.run(documented(page, start), steps, path.name)
    marks = [mark for mark in found["marks"] if mark["lnum"] == MARKED_LINE - 1]
    first, last = MARKED.index(TERM), MARKED.index(TERM) + len(TERM)
    assert any(mark["col"] < last and first < mark["end_col"] for mark in marks)
    assert {mark["source"] for mark in marks} == {"tactful"}
    assert all(mark["severity"] > 1 for mark in marks), "no mark is an error"
    assert not [mark for mark in found["marks"] if mark["lnum"] == CALM_LINE - 1]
    assert TERM in found["offered"][0]
    assert path.read_text(encoding="utf-8") == repaired()
    assert found["notified"] == []


def test_settings_reach_the_server(neovim: Neovim) -> None:
    path = write_letter(neovim.folder)
    steps = f"""
    session.wait("a mark", function() return #session.marks_on({MARKED_LINE}) > 0 end)
    return session.marks_on({MARKED_LINE})[1].user_data.lsp.codeDescription.href
    """
    link = neovim.run(ON_PATH + SETTINGS, steps, path.name)
    assert link.startswith("https://example.org/term")


def test_an_open_document_is_checked_and_a_hover_starts_no_server(neovim: Neovim) -> None:
    """Set up late, as plug-in managers do; hovers are Markdown, but not documents."""
    path = write_letter(neovim.folder)
    steps = f"""
    assert(#session.clients() == 0)
    {SETTINGS}
    session.wait("a mark", function() return #session.marks_on({MARKED_LINE}) > 0 end)
    vim.api.nvim_win_set_cursor(0, {{ {MARKED_LINE}, {MARKED.index(TERM)} }})
    vim.lsp.buf.hover()
    local shown
    session.wait("the hover", function()
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        if vim.api.nvim_win_get_config(window).relative ~= "" then
          shown = vim.api.nvim_win_get_buf(window)
        end
      end
      return shown ~= nil
    end)
    local attached = (vim.lsp.get_clients or vim.lsp.buf_get_clients)(
      vim.lsp.get_clients and {{ bufnr = shown }} or shown
    )
    return {{ text = vim.api.nvim_buf_get_lines(shown, 0, -1, false), on_hover = #attached }}
    """
    found = neovim.run(ON_PATH, steps, path.name)
    assert any("using a wheelchair" in line for line in found["text"]), found
    assert found["on_hover"] == 0


def test_a_rewrite_is_asked_for_and_then_used(neovim: Neovim) -> None:
    plain = "The families wait at the stop."
    (neovim.folder / "note.md").write_text("Even these poor souls can learn to hope again.\n")
    steps = """
    vim.lsp.handlers["window/showMessage"] = function(_, result)
      table.insert(session.notified, result.message)
    end
    session.wait("a mark", function() return #session.marks_on(1) > 0 end)
    local function choose_first()
      vim.api.nvim_win_set_cursor(0, { 1, session.marks_on(1)[1].col })
      vim.lsp.buf.code_action()
    end
    choose_first()
    session.wait("an offer", function()
      -- Until the server knows the endpoint, there is nothing to choose.
      if #session.offered == 0 and #session.notified > 0 then
        session.notified = {}
        choose_first()
      end
      return #session.offered > 0
    end)
    session.wait("the answer", function() return #session.notified > 0 end)
    local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)[1]
    choose_first()
    session.wait("the rewrite", function()
      return vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] ~= before
    end)
    return {
      before = before,
      after = vim.api.nvim_buf_get_lines(0, 0, -1, false)[1],
      offered = session.offered,
      notified = session.notified,
    }
    """
    with serving("/v1") as chat:
        chat.replies = [Reply({"choices": [{"message": {"content": plain}}]})]
        init = f"""require("tactful").setup({{
          cmd = {{ "tactful", "lsp", "--model", "fast" }},
          settings = {{ rewrite_endpoint = "{chat.url}" }},
        }})"""
        found = neovim.run(ON_PATH + init, steps, "note.md")
        assert len(chat.asked) == 1
    assert found["before"].startswith("Even these")
    assert found["after"] == plain
    assert found["offered"][0].startswith("Suggest a rewrite of 'Even these")
    assert any(each.startswith("Use the rewrite (") for each in found["offered"])
    assert plain in found["notified"][0]


def test_each_project_has_one_server(neovim: Neovim) -> None:
    for name in ("one", "two"):
        (neovim.folder / name / "below").mkdir(parents=True)
        write_letter(neovim.folder / name)
        (neovim.folder / name / "below" / "other.md").write_text(LETTER, encoding="utf-8")
    steps = f"""
    for _, path in ipairs({{ "one/below/other.md", "two/letter.md" }}) do
      vim.cmd("edit " .. path)
      session.wait("a mark", function() return #session.marks_on({MARKED_LINE}) > 0 end)
    end
    local roots = {{}}
    for _, client in ipairs(session.clients()) do
      table.insert(roots, client.config.root_dir)
    end
    table.sort(roots)
    return roots
    """
    roots = neovim.run(ON_PATH + SETTINGS, steps, "one/letter.md")
    assert roots == [str(neovim.folder / name) for name in ("one", "two")]


def test_a_missing_program_is_reported_in_one_message(neovim: Neovim) -> None:
    init = ON_PATH + 'require("tactful").setup({ cmd = { "no-such-tactful", "lsp" } })'
    found = neovim.run(init, "return { session.notified, #session.clients() }", "letter.md")
    ((said,), count) = found
    assert "no-such-tactful" in said
    assert 'pip install "tactful[lsp,research]"' in said
    assert count == 0


@pytest.mark.parametrize("given", ['{ filetype = { "markdown" } }', '{ cmd = "tactful" }'])
def test_a_wrong_option_is_refused_with_the_names_of_the_options(
    neovim: Neovim, given: str
) -> None:
    steps = f"local _, said = pcall(require('tactful').setup, {given})\nreturn said"
    said = neovim.run(ON_PATH, steps)
    assert "expected tables named cmd, filetypes, root_markers, settings" in said
