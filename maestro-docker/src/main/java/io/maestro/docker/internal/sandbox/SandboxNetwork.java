package io.maestro.docker.internal.sandbox;

/** What the containers of one owner may reach beside each other. Safe for use by several threads. */
public interface SandboxNetwork {
    /** Of whoever is bound by nothing but the rules. */
    SandboxNetwork OF_RULES = new SandboxNetwork() {
        @Override
        public String bridge() {
            return "bridge";
        }

        @Override
        public boolean isAgents() {
            return false;
        }
    };

    /** The engine's name of the network in which containers are that ask for {@code bridge}; there is one then. */
    String bridge();

    /** Whether the owner is an agent of the engine's instance, which builds images there and uses those that it may. */
    boolean isAgents();
}
