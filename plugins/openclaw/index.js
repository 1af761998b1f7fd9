// mem: the memory of a workspace, for OpenClaw. It tells mem what happens, and the agent what is known.
import { spawnSync } from "node:child_process"

const MEM = ["mem"]

// Tells mem of one event and returns what the agent should know, if anything. A mem that fails or is gone is no matter.
const tell = (event, payload) => {
  const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 8000, windowsHide: true }
  try {
    const done = spawnSync(MEM[0], [...MEM.slice(1), "hook", event, "--harness", "openclaw"], options)
    return JSON.parse(done.stdout || "{}").prependContext ?? ""
  } catch {
    return ""
  }
}

const textOf = ({ content }) =>
  typeof content === "string" ? content : (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

// What the agent said since the person's last words: its answer, and what came before that.
const spoken = (messages) => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1)
  const texts = since.filter(({ role }) => role === "assistant").map(textOf).filter((text) => text.trim())
  return { last_assistant_message: texts.pop(), narration: texts.join("\n\n") }
}

const register = (api) => {
  const sessions = new Map() // where each session works, and what it was told: OpenClaw forgets that after each prompt
  const payload = (ctx) => ({ session_id: ctx.sessionId, cwd: sessions.get(ctx.sessionId)?.folder, turn_id: ctx.runId })
  const observe = (name, event, more) =>
    api.on(name, (said, ctx) => {
      if (sessions.has(ctx.sessionId)) tell(event, { ...payload(ctx), ...more(said) })
    })

  api.on("before_prompt_build", ({ prompt }, ctx) => {
    if (!ctx.sessionId || !ctx.workspaceDir || (ctx.trigger ?? "user") !== "user") return
    if (!sessions.has(ctx.sessionId)) {
      sessions.set(ctx.sessionId, { folder: ctx.workspaceDir, told: [] })
      sessions.get(ctx.sessionId).told.push(tell("session-start", { ...payload(ctx), source: "startup" }))
    }
    const { told } = sessions.get(ctx.sessionId)
    told.push(tell("user-prompt", { ...payload(ctx), prompt }))
    const known = told.filter((text) => text).join("\n")
    return known ? { prependContext: known } : undefined
  })
  observe("after_tool_call", "post-tool-use", ({ toolName, params, toolCallId, result, error }) => {
    const code = result?.details?.exitCode ?? undefined
    return { tool_name: toolName, tool_input: params, tool_use_id: toolCallId, tool_response: { ...result, exit_code: code }, error }
  })
  observe("agent_end", "stop", ({ messages }) => spoken(messages ?? []))
  observe("before_compaction", "pre-compact", () => ({ trigger: "auto" }))
  api.on("after_compaction", (said, ctx) => void sessions.delete(ctx.sessionId))
  api.on("session_end", ({ reason }, ctx) => {
    if (sessions.has(ctx.sessionId)) tell("session-end", { ...payload(ctx), reason })
    sessions.delete(ctx.sessionId)
  })
}

export default { id: "mem", name: "mem", description: "What a workspace remembers", register }
