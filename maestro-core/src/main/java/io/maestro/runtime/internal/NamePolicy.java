package io.maestro.runtime.internal;

import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Refuses tools by their names. */
public final class NamePolicy implements CheckedPolicy {
    private final ToolNames allow;
    private final ToolNames deny;

    /** Takes names, with {@code *} for any characters; with none to allow, all are allowed. */
    public NamePolicy(Collection<String> allow, Collection<String> deny) {
        this.allow = new ToolNames(List.copyOf(allow));
        this.deny = new ToolNames(List.copyOf(deny));
    }

    @Override
    public ToolDecision decide(ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments) {
        return refuser(tool).isEmpty()
                ? ToolDecision.allow()
                : ToolDecision.deny("the tool '" + tool.name() + "' is not to be used here; go on without it");
    }

    @Override
    public Optional<String> withholds(ToolAudience role, ToolDefinition tool) {
        return refuser(tool);
    }

    private Optional<String> refuser(ToolDefinition tool) {
        if (deny.match(tool.name())) {
            return Optional.of("the list deny " + deny.patterns());
        }
        boolean allowed = allow.patterns().isEmpty() || tool.terminal() || allow.match(tool.name());
        return allowed ? Optional.empty() : Optional.of("the list allow " + allow.patterns());
    }

    @Override
    public List<String> unknown(Collection<String> tools) {
        return Stream.of(allow, deny)
                .flatMap(names -> names.unknown(tools).stream())
                .distinct()
                .toList();
    }
}
