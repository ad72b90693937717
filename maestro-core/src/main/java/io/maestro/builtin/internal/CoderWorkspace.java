package io.maestro.builtin.internal;

import io.maestro.runtime.internal.DefaultCoder;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolException;
import java.nio.file.Path;

/** Whose workspace a call means: a coder's own, or for the architect the one that it names or that waits for it. */
final class CoderWorkspace {
    static final String PARAMETER = "coder_id";
    static final String DESCRIPTION =
            "Whose workspace to look at, for example coder-001; only for the architect, default: the coder that waits";

    private final WorkspaceView view;
    private final String coderId;

    private CoderWorkspace(WorkspaceView view, String coderId) {
        this.view = view;
        this.coderId = coderId;
    }

    /** Throws an exception with a message for the model when the call may not see that workspace, or there is none. */
    static CoderWorkspace of(ToolContext context, ToolCall call) {
        WorkspaceView view = context.service(WorkspaceView.class)
                .orElseThrow(() -> new ToolException("there are no workspaces to look at here", null));
        String own = context.audience() == ToolAudience.ARCHITECT
                ? context.service(DefaultCoder.class).map(DefaultCoder::id).orElse("")
                : context.agentId();
        String wanted = call.arguments()
                .optionalString(PARAMETER)
                .filter(id -> !id.isBlank())
                .orElse(own);
        if (context.audience() != ToolAudience.ARCHITECT && !wanted.equals(own)) {
            throw new ToolException("you can only look at your own workspace; leave " + PARAMETER + " out", null);
        }
        // An id is looked up, never made into a path.
        if (!view.coders().contains(wanted)) {
            throw new ToolException("no coder '" + wanted + "' is at work; there are " + view.coders(), null);
        }
        return new CoderWorkspace(view, wanted);
    }

    Path directory() {
        return view.directory(coderId).orElseThrow(this::gone);
    }

    String diff(String path, long firstLine, int maxCharacters) {
        return view.diff(coderId, path.isBlank() || path.equals(".") ? null : path, firstLine, maxCharacters)
                .orElseThrow(this::gone);
    }

    private ToolException gone() {
        return new ToolException("coder '" + coderId + "' is not at work any more", null);
    }
}
