package io.maestro.runtime.internal;

import io.maestro.exec.Executor;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolException;
import io.maestro.tools.WorkspaceFiles;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What Maestro tells a tool about the agent that it works for. Immutable. */
public final class DefaultToolContext implements ToolContext {
    private final String agentId;
    private final @Nullable String storyId;
    private final ToolAudience audience;
    private final boolean readOnly;
    private final @Nullable Executor executor;
    private final Map<Class<?>, Object> services;
    private final @Nullable WorkspaceFiles files;
    private final @Nullable Supplier<String> diff;
    private final @Nullable Consumer<String> chat;
    private final OptionalInt attempt;
    private final Optional<String> state;
    private final NetworkAccess network;

    private DefaultToolContext(Builder builder) {
        this.agentId = builder.agentId;
        this.storyId = builder.storyId;
        this.audience = builder.audience;
        this.readOnly = builder.readOnly;
        this.executor = builder.executor;
        this.services = Map.copyOf(builder.services);
        this.files = builder.files;
        this.diff = builder.diff;
        this.chat = builder.chat;
        this.attempt = builder.attempt;
        this.state = builder.state;
        this.network = builder.network;
    }

    /**
     * Starts a context; read-only, without a story, an executor or services.
     *
     * @param agentId the agent, for example {@code coder-001}
     * @param audience its role and phase
     * @return a builder
     */
    public static Builder builder(String agentId, ToolAudience audience) {
        return new Builder(agentId, audience);
    }

    @Override
    public String agentId() {
        return agentId;
    }

    @Override
    public Optional<String> storyId() {
        return Optional.ofNullable(storyId);
    }

    @Override
    public ToolAudience audience() {
        return audience;
    }

    @Override
    public boolean readOnly() {
        return readOnly;
    }

    @Override
    public Executor executor() {
        if (executor == null) {
            throw new ToolException(
                    agentId + " (" + audience + ") has no workspace to run commands in; offer a tool that needs one to"
                            + " another audience",
                    null);
        }
        return executor;
    }

    @Override
    public <T> Optional<T> service(Class<T> type) {
        return Optional.ofNullable(type.cast(services.get(type)));
    }

    @Override
    public WorkspaceFiles files() {
        return files == null ? ToolContext.super.files() : files;
    }

    @Override
    public String diff() {
        return diff == null ? ToolContext.super.diff() : diff.get();
    }

    @Override
    public void post(String text) {
        if (chat == null) {
            ToolContext.super.post(text);
        } else {
            chat.accept(text);
        }
    }

    @Override
    public OptionalInt attempt() {
        return attempt;
    }

    @Override
    public Optional<String> state() {
        return state;
    }

    @Override
    public NetworkAccess network() {
        return network;
    }

    /** Collects the parts of a context. Not safe for use by several threads. */
    public static final class Builder {
        private final String agentId;
        private final ToolAudience audience;
        private final Map<Class<?>, Object> services = new HashMap<>();
        private @Nullable String storyId;
        private boolean readOnly = true;
        private @Nullable Executor executor;
        private @Nullable WorkspaceFiles files;
        private @Nullable Supplier<String> diff;
        private @Nullable Consumer<String> chat;
        private OptionalInt attempt = OptionalInt.empty();
        private Optional<String> state = Optional.empty();
        private NetworkAccess network = NetworkAccess.UNKNOWN;

        private Builder(String agentId, ToolAudience audience) {
            this.agentId = Objects.requireNonNull(agentId, "agentId");
            this.audience = Objects.requireNonNull(audience, "audience");
        }

        /**
         * Sets the story.
         *
         * @param id its id
         * @return this
         */
        public Builder storyId(String id) {
            this.storyId = Objects.requireNonNull(id, "id");
            return this;
        }

        /**
         * Lets tools change the workspace.
         *
         * @return this
         */
        public Builder writable() {
            this.readOnly = false;
            return this;
        }

        /**
         * Sets where commands run.
         *
         * @param workspace the executor of the agent's workspace
         * @return this
         */
        public Builder executor(Executor workspace) {
            this.executor = Objects.requireNonNull(workspace, "workspace");
            return this;
        }

        /**
         * Sets the files of the workspace.
         *
         * @param workspace what {@link ToolContext#files()} gives
         * @return this
         */
        public Builder files(WorkspaceFiles workspace) {
            this.files = Objects.requireNonNull(workspace, "workspace");
            return this;
        }

        /**
         * Sets how the work is compared with its target.
         *
         * @param work asked for each {@link ToolContext#diff()}
         * @return this
         */
        public Builder diff(Supplier<String> work) {
            this.diff = Objects.requireNonNull(work, "work");
            return this;
        }

        /**
         * Sets where messages go.
         *
         * @param room gets what is {@linkplain ToolContext#post posted}
         * @return this
         */
        public Builder chat(Consumer<String> room) {
            this.chat = Objects.requireNonNull(room, "room");
            return this;
        }

        /**
         * Sets where the agent stands.
         *
         * @param number the attempt at the story; from 1
         * @param name its state
         * @return this
         */
        public Builder at(int number, String name) {
            this.attempt = OptionalInt.of(number);
            this.state = Optional.of(name);
            return this;
        }

        /**
         * Sets what commands reach.
         *
         * @param access of the phase
         * @return this
         */
        public Builder network(NetworkAccess access) {
            this.network = Objects.requireNonNull(access, "access");
            return this;
        }

        /**
         * Puts in services for tools.
         *
         * @param byType each under the type by which tools ask for it, of which it is an instance
         * @return this
         */
        public Builder services(Map<Class<?>, ?> byType) {
            byType.forEach((type, service) -> services.put(type, type.cast(service)));
            return this;
        }

        /**
         * Makes the context.
         *
         * @return the context
         */
        public DefaultToolContext build() {
            return new DefaultToolContext(this);
        }
    }
}
