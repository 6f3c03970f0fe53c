// What the agents of the tests do. The first reply that matches is played.
export const SCRIPT = String.raw`
model: scripted-1
replies:
  - match: "^ask"
    do:
      - ask: { question: "Which colour for the button?", header: Colour, options: [Red, { label: Blue, description: calm and cool }] }
      - say: "{{answer}} it is"
  - match: "^long"
    do: [{ ask: { question: "${Array.from({ length: 60 }, (_, at) => `Paragraph ${at} says something that is to be read before anybody chooses.`).join("\\n\\n")}", options: [Keep, Delete] } }, { say: "{{answer}} it is" }]
  - match: "^many"
    do: [{ ask: { question: "Which of these?", options: [${Array.from({ length: 9 }, (_, at) => `{ label: Plan ${at + 1}, description: "${"It does a lot of things. ".repeat(28)}" }`).join(", ")}] } }, { say: "{{answer}} it is" }]
  - match: "^form"
    do:
      - ask:
          question: "Which parts?"
          header: Parts
          options: [Server, Page, Docs]
          multi: true
          and: [{ question: "How many people?", header: People, options: [One, Two] }]
      - say: "So: {{answer}}"
  # A refusal sticks to what was refused, so each test asks for something of its own.
  - match: "^approve (\\w+)"
    do:
      - permission:
          tool: Bash
          input: { command: "make $1", description: "Remove what was built" }
          result: gone
          then: [{ say: "It is gone" }]
          denied: [{ say: "Kept, because {{message}}" }]
  - match: "^change (\\w+)"
    do:
      - permission: { tool: Bash, input: { command: "deploy $1", timeout: 60, env: { A: "1" } }, result: ok, then: [{ say: "Ran {{input.command}} for {{input.timeout}} with {{input}}" }], denied: [{ say: "Not done, because {{message}}" }] }
  - match: "^plan"
    do: [{ permission: { tool: ExitPlanMode, input: { plan: "## Paint the door\n\n1. **Sand** it\n2. Paint it" }, then: [{ say: "Painted" }], denied: [{ say: "Not painted" }] } }]
  - match: "^destroy"
    do:
      - permission: { tool: Bash, input: { command: "rm -rf build" }, result: gone, then: [{ say: "It is gone" }], denied: [{ say: "Kept" }] }
  - match: "^prefer"
    do: [{ ask: { question: "Which door?", options: ["Oak (Recommended)", Pine] } }, { say: "{{answer}} it is" }]
  - match: "^leave (\\w+)"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "May I leave $1?", type: approval } } }, { say: "{{result}}" }]
  - match: "^pick"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "Which shade?", type: choice, options: [Dark, Light] } } }, { say: "{{result}}" }]
  - match: "^list"
    do: [{ tool: { name: TodoWrite, input: { todos: [{ content: Paint the door, status: completed }, { content: Oil the hinge, status: in_progress }, { content: Lock it, status: pending }] }, result: ok } }]
  - match: "^work"
    do:
      - think: "Where would the button be? Probably in the form."
      - tool: { name: Glob, input: { pattern: "src/**/*.ts" }, result: "src/button.ts" }
      - tool: { name: Read, input: { file_path: src/button.ts }, result: "export const colour = 'red';" }
      - tool: { name: Grep, input: { pattern: colour, path: src }, result: "src/button.ts:1" }
      - tool: { name: Edit, input: { file_path: src/button.ts, old_string: "export const colour = 'red';\nexport const size = 3;", new_string: "export const colour = 'blue';\nexport const size = 3;" }, result: updated }
      - run: "echo all tests pass"
      - tool: { name: Bash, input: { command: "npm run lint" }, result: "2 problems", error: true }
      - subagent: { type: explorer, prompt: "Find every use of the button", do: [{ tool: { name: Read, input: { file_path: src/form.ts } } }, { say: "It is used in the form." }] }
      - cost: 0.042
      - usage: { input: 1200, output: 340 }
      - stream: { text: "The button is **blue** now.\n\n- changed src/button.ts\n- the form uses it\n", chunk: 12, every: 10ms }
  - match: "^slow"
    do: [{ stream: { text: "one two three four five six seven eight nine ten eleven twelve", chunk: 4, every: 100ms } }]
  - match: "^flood (\\d+)"
    do: [{ flood: { messages: 100000, size: 60 } }]
  - match: "^fail"
    do: [{ fail: "the model would not" }]
  - match: "^hang"
    do: [{ hang: true }]
  - match: "^stuck"
    do: [{ subagent: { type: explorer, prompt: "Find the end", do: [{ tool: { name: Bash, input: { command: "make everything" }, delay: 10m } }, { say: "Found" }] } }]
  - match: "^chase"
    do: [{ mcp: { server: iris, tool: team_tell, arguments: { toTeam: delta, message: "hang on" } } }, { say: "They say it is." }]
  - match: "^letter"
    do: [{ mcp: { server: iris, tool: team_tell, arguments: { toTeam: beacon, message: "echo Is the **form** ready?" } } }, { say: "They say it is." }]
default: [{ say: "You said: {{text}}" }]
`;
