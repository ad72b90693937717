package io.maestro.claude.internal.way;

/** How the CLI reaches the gateway to the API. */
public enum ApiWay {
    /** Over a unix socket that its environment is given: no network is needed. */
    SOCKET,
    /** Over HTTP to an address of the host. */
    HTTP
}
