package io.maestro.claude.story;

import static io.maestro.testkit.api.ApiScript.call;

import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import java.util.List;

/** What the model does in the states of a story, which it tells by the tools that it is given. */
final class StoryScript {
    static final String PLAN = "mcp__maestro__submit_plan";
    static final String QUESTION = "mcp__maestro__ask_question";
    static final String SWITCH = "mcp__maestro__container_switch";
    static final String DONE = "mcp__maestro__done";

    private StoryScript() {}

    static boolean plans(ApiRequest request) {
        return request.tools().contains(PLAN);
    }

    static ApiScript of(List<ApiScript.Call> planning, List<ApiScript.Call> coding) {
        return ApiScript.calls(request -> new ApiScript.Part(plans(request) ? planning : coding, "nothing more to do"));
    }

    /** Looks, plans, writes a file with the CLI's own tool, and is done. */
    static ApiScript simple(String file) {
        return of(
                List.of(call("Bash", "command", "ls", "description", "look"), call(PLAN, "plan", "write the feature")),
                List.of(
                        call("Write", "file_path", file, "content", "made by the CLI\n"),
                        call(DONE, "summary", "wrote the feature")));
    }
}
