# What any client does, with the official package.
# Arguments: legacy|auto, http|stdio, and the address and token or the program. Writes what it saw as one line of JSON.
import json
import sys

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

mode, way, where, secret = sys.argv[1:]


def tell(message):
    return {"toTeam": "alpha", "message": message, "timeout": 0}


async def main():
    if way == "http":
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {secret}"})
        server = streamable_http_client(where, http_client=http)
    else:
        server = StdioServerParameters(command=where, args=["mcp"], env={"IRIS_HOME": secret, "HOME": secret})
    async with Client(server, mode=mode) as client:
        heard = []

        async def progress(done, total, message):
            heard.append(message)

        tools = await client.list_tools()
        told = await client.call_tool("team_tell", tell("write slowly"), progress_callback=progress)
        refused = await client.call_tool("team_tell", {"toTeam": "nobody", "message": "x"})
        with anyio.move_on_after(1) as scope:
            await client.call_tool("team_tell", tell("work"))
        resources = await client.list_resources()
        read = await client.read_resource("iris://teams")
        prompt = await client.get_prompt("ask_team", {"team": "beta", "question": "why?"})
        print(
            json.dumps(
                {
                    "version": client.protocol_version,
                    "tools": len(tools.tools),
                    "progress": len(heard),
                    "response": told.structured_content["response"],
                    "refused": refused.is_error,
                    "cancelled": scope.cancelled_caught,
                    "resources": len(resources.resources),
                    "teams": len(json.loads(read.contents[0].text)["teams"]),
                    "prompt": len(prompt.messages),
                }
            )
        )


anyio.run(main)
