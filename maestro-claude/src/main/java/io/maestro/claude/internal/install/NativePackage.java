package io.maestro.claude.internal.install;

/** The npm packages that hold the native binaries. */
final class NativePackage {
    private static final String SCOPE = "@anthropic-ai";

    private NativePackage() {}

    /** For example {@code claude-code-linux-x64}. */
    static String directoryName(String platform) {
        return "claude-code-" + platform;
    }

    /** With its scope. */
    static String name(String platform) {
        return SCOPE + "/" + directoryName(platform);
    }
}
