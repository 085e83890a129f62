-- What the tests use inside Neovim: it runs the steps of a test, writes what they return as JSON
-- to $SESSION_ANSWER, and ends Neovim. See neovim.py.
local PATIENCE = 300000 -- milliseconds; the first answer opens a model, on a machine that may be busy

local session = { notified = {}, offered = {} }

function session.wait(what, condition)
  if not vim.wait(PATIENCE, condition, 50) then
    error("waited in vain for " .. what .. ": " .. vim.inspect(vim.diagnostic.get(0)))
  end
end

function session.marks_on(line)
  return vim.diagnostic.get(0, { lnum = line - 1 })
end

function session.clients()
  return (vim.lsp.get_clients or vim.lsp.get_active_clients)()
end

-- The user, who chooses the first of what is offered.
vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    table.insert(session.offered, options.format_item and options.format_item(item) or tostring(item))
  end
  choose(items[1], 1)
end

vim.notify = function(message)
  table.insert(session.notified, message)
end

local function answer_of(steps)
  local is_fine, answer = xpcall(steps, debug.traceback, session)
  return is_fine and { answer = answer } or { error = answer, notified = session.notified }
end

vim.api.nvim_create_autocmd("VimEnter", {
  callback = function()
    vim.schedule(function()
      local steps = assert(loadfile(vim.env.SESSION_STEPS))
      local written = vim.json.encode(answer_of(steps))
      vim.fn.writefile({ written }, vim.env.SESSION_ANSWER)
      vim.cmd("qall!")
    end)
  end,
})
