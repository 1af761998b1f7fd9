// mem: the memory of the repository, for OpenCode. Written by `mem setup opencode`, which writes it again; do not edit it.
import { spawnSync } from "node:child_process"

const MEM = ["mem"]

// Reports one event to mem and returns what the agent should know, "" for nothing; also where mem fails or is gone.
const report = (event, payload) => {
  const options = { input: JSON.stringify(payload), encoding: "utf8", timeout: 8000, windowsHide: true }
  try {
    const { status, stdout } = spawnSync(MEM[0], [...MEM.slice(1), "hook", event, "--harness", "opencode"], options)
    return status === 0 ? stdout.trim() : ""
  } catch {
    return ""
  }
}

// Returns what the agent wrote since the person's last message: its answer, and what came before that.
const answerOf = async (client, id) => {
  try {
    const messages = (await client.session.messages({ path: { id } })).data ?? []
    const since = messages.slice(messages.findLastIndex(({ info }) => info.role === "user") + 1)
    const parts = since.filter(({ info }) => !info.summary).flatMap(({ parts }) => parts)
    const texts = parts.filter((part) => part.type === "text" && part.text.trim()).map((part) => part.text)
    return { last_assistant_message: texts.pop(), narration: texts.join("\n\n") }
  } catch {
    return {}
  }
}

export const Mem = async ({ client, directory }) => {
  const starts = new Map() // what the start of each session gave, until its first prompt takes it along
  return {
    event: async ({ event }) => {
      const properties = event.properties ?? {}
      const id = properties.sessionID ?? properties.info?.id
      const payload = { session_id: id, cwd: directory }
      if (event.type === "session.created") starts.set(id, report("session-start", { ...payload, source: "startup" }))
      if (event.type === "session.idle") report("stop", { ...payload, ...(await answerOf(client, id)) })
      if (event.type === "session.compacted") starts.set(id, report("session-start", { ...payload, source: "compact" }))
      if (event.type === "session.deleted") report("session-end", { ...payload, reason: "deleted" })
    },
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const texts = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const context = report("user-prompt", { session_id: id, cwd: directory, prompt: texts.join("\n"), turn_id: output.message.id })
      for (const text of [starts.get(id), context]) {
        if (!text) continue
        const name = "prt_mem" + Math.random().toString(36).slice(2)
        output.parts.push({ id: name, sessionID: id, messageID: output.message.id, type: "text", text, synthetic: true })
      }
      starts.delete(id)
    },
    "tool.execute.after": async (input, output) => {
      const payload = { session_id: input.sessionID, cwd: directory, tool_name: input.tool, tool_input: input.args }
      const context = report("post-tool-use", { ...payload, tool_use_id: input.callID, tool_response: output.output })
      if (context) output.output += "\n" + context
    },
    "experimental.session.compacting": async (input) => {
      report("pre-compact", { session_id: input.sessionID, cwd: directory, trigger: "auto" })
    },
  }
}
