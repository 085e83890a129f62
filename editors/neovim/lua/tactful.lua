-- Starts `tactful lsp` for documents that contain prose. Works with Neovim 0.7.2 and newer.
local M = {}

local NAME = "tactful"
local DEFAULTS = {
  -- The command that starts the language server.
  cmd = { "tactful", "lsp" },
  -- The file types that are checked.
  filetypes = { "markdown", "text", "html", "tex", "rst", "gitcommit" },
  -- A folder that contains one of these is the root of a project; each root has a server.
  root_markers = { "tactful.toml", "pyproject.toml", ".git" },
  -- The settings of the server, as docs/editors.md lists them.
  settings = {},
}

-- The client of each root, for Neovim 0.7, which does not reuse clients itself.
local clients = {}

local function root_of(buffer, markers)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  while true do
    for _, marker in ipairs(markers) do
      if vim.fn.getftype(folder .. "/" .. marker) ~= "" then
        return folder
      end
    end
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then
      return nil
    end
    folder = above
  end
end

local function is_same(client, config)
  return client.name == config.name and client.config.root_dir == config.root_dir
end

local function start(buffer, config)
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer, reuse_client = is_same })
    return
  end
  local root = config.root_dir or ""
  local id = clients[root]
  if id == nil or vim.lsp.get_client_by_id(id) == nil then
    id = vim.lsp.start_client(config)
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buffer, id)
  end
end

local function attach(buffer, options)
  -- A buffer with a type is no file: hovers, for example, are Markdown without a file.
  local of = vim.bo[buffer]
  if of.buftype ~= "" or not vim.tbl_contains(options.filetypes, of.filetype) then
    return
  end
  start(buffer, {
    name = NAME,
    cmd = options.cmd,
    root_dir = root_of(buffer, options.root_markers),
    -- An empty table would be sent as a list.
    init_options = next(options.settings) and options.settings or nil,
  })
end

local function checked(given)
  local names = vim.tbl_keys(DEFAULTS)
  table.sort(names)
  for name, value in pairs(given) do
    if DEFAULTS[name] == nil or type(value) ~= "table" then
      local found = "found '" .. tostring(name) .. "' (a " .. type(value) .. ")"
      error("tactful.setup: " .. found .. "; expected tables named " .. table.concat(names, ", "), 3)
    end
  end
  -- Lists are replaced, not merged with the default.
  return vim.tbl_extend("force", DEFAULTS, given)
end

--- Check documents from now on, and those that are open already.
---@param given table|nil names and values that replace those of DEFAULTS
function M.setup(given)
  local options = checked(given or {})
  local program = options.cmd[1]
  if program == nil or vim.fn.executable(program) == 0 then
    vim.notify(
      "Tactful is not started: found no program '" .. tostring(program) .. "'. Install it with "
        .. 'pip install "tactful[lsp,research]", or set cmd to its path.',
      vim.log.levels.WARN
    )
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup(NAME, { clear = true }),
    pattern = options.filetypes,
    callback = function(event)
      attach(event.buf, options)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      attach(buffer, options)
    end
  end
end

return M
