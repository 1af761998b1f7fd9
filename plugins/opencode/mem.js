// mem: the memory of the repository, for OpenCode. Written by `mem setup opencode`, which writes it again; do not edit it.
import { spawnSync } from "node:child_process"

const MEM = ["mem"]

// Tells mem of one event and returns what the agent should know, if anything. A mem that fails or is gone is no matter.
const tell = (event, payload) => {
  const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 8000, windowsHide: true }
  try {
    const done = spawnSync(MEM[0], [...MEM.slice(1), "hook", event, "--harness", "opencode"], options)
    return done.status === 0 ? done.stdout.trim() : ""
  } catch {
    return ""
  }
}

// What the agent said since the person's last words: its answer, and what came before that.
const spoken = async (client, id) => {
  try {
    const messages = (await client.session.messages({ path: { id } })).data ?? []
    const since = messages.slice(messages.findLastIndex(({ info }) => info.role === "user") + 1)
    const own = since.filter(({ info }) => !info.summary).flatMap(({ parts }) => parts)
    const texts = own.filter((part) => part.type === "text" && part.text.trim()).map((part) => part.text)
    return { last_assistant_message: texts.pop(), narration: texts.join("\n\n") }
  } catch {
    return {}
  }
}

export const Mem = async ({ client, directory }) => {
  const starts = new Map() // what each session is told first, until it is
  return {
    event: async ({ event }) => {
      const properties = event.properties ?? {}
      const id = properties.sessionID ?? properties.info?.id
      const payload = { session_id: id, cwd: directory }
      if (event.type === "session.created") starts.set(id, tell("session-start", { ...payload, source: "startup" }))
      if (event.type === "session.idle") tell("stop", { ...payload, ...(await spoken(client, id)) })
      if (event.type === "session.compacted") starts.set(id, tell("session-start", { ...payload, source: "compact" }))
      if (event.type === "session.deleted") tell("session-end", { ...payload, reason: "deleted" })
    },
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const words = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const known = tell("user-prompt", { session_id: id, cwd: directory, prompt: words.join("\n"), turn_id: output.message.id })
      for (const text of [starts.get(id), known]) {
        if (!text) continue
        const name = "prt_mem" + Math.random().toString(36).slice(2)
        output.parts.push({ id: name, sessionID: id, messageID: output.message.id, type: "text", text, synthetic: true })
      }
      starts.delete(id)
    },
    "tool.execute.after": async (input, output) => {
      const payload = { session_id: input.sessionID, cwd: directory, tool_name: input.tool, tool_input: input.args }
      const known = tell("post-tool-use", { ...payload, tool_use_id: input.callID, tool_response: output.output })
      if (known) output.output += "\n" + known
    },
    "experimental.session.compacting": async (input) => {
      tell("pre-compact", { session_id: input.sessionID, cwd: directory, trigger: "auto" })
    },
  }
}
