// mem: the memory of a workspace, for OpenClaw. It tells mem what happens, and the agent what is known.
import { spawnSync } from "node:child_process"

const MEM = ["mem"]

// Reports one event to mem and returns what the agent should know, "" for nothing; also where mem fails or is gone.
const report = (event, payload) => {
  const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 8000, windowsHide: true }
  try {
    const { stdout } = spawnSync(MEM[0], [...MEM.slice(1), "hook", event, "--harness", "openclaw"], options)
    return JSON.parse(stdout || "{}").prependContext ?? ""
  } catch {
    return ""
  }
}

const textOf = ({ content }) =>
  typeof content === "string" ? content : (content ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

// Returns what the agent wrote since the person's last message: its answer, and what came before that.
const answerOf = (messages) => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1)
  const texts = since.filter(({ role }) => role === "assistant").map(textOf).filter((text) => text.trim())
  return { last_assistant_message: texts.pop(), narration: texts.join("\n\n") }
}

const register = (api) => {
  const sessions = new Map() // where each session works, and its contexts so far: OpenClaw forgets these after each prompt
  const payload = (ctx) => ({ session_id: ctx.sessionId, cwd: sessions.get(ctx.sessionId)?.folder, turn_id: ctx.runId })
  const observe = (name, event, fields) =>
    api.on(name, (details, ctx) => {
      if (sessions.has(ctx.sessionId)) report(event, { ...payload(ctx), ...fields(details) })
    })

  api.on("before_prompt_build", ({ prompt }, ctx) => {
    if (!ctx.sessionId || !ctx.workspaceDir || (ctx.trigger ?? "user") !== "user") return
    if (!sessions.has(ctx.sessionId)) {
      sessions.set(ctx.sessionId, { folder: ctx.workspaceDir, contexts: [] })
      sessions.get(ctx.sessionId).contexts.push(report("session-start", { ...payload(ctx), source: "startup" }))
    }
    const { contexts } = sessions.get(ctx.sessionId)
    contexts.push(report("user-prompt", { ...payload(ctx), prompt }))
    const prependContext = contexts.filter(Boolean).join("\n")
    return prependContext ? { prependContext } : undefined
  })
  observe("after_tool_call", "post-tool-use", ({ toolName, params, toolCallId, result, error }) => {
    const code = result?.details?.exitCode ?? undefined
    return { tool_name: toolName, tool_input: params, tool_use_id: toolCallId, tool_response: { ...result, exit_code: code }, error }
  })
  observe("agent_end", "stop", ({ messages }) => answerOf(messages ?? []))
  observe("before_compaction", "pre-compact", () => ({ trigger: "auto" }))
  api.on("after_compaction", (details, ctx) => void sessions.delete(ctx.sessionId))
  api.on("session_end", ({ reason }, ctx) => {
    if (sessions.has(ctx.sessionId)) report("session-end", { ...payload(ctx), reason })
    sessions.delete(ctx.sessionId)
  })
}

export default { id: "mem", name: "mem", description: "What a workspace remembers", register }
