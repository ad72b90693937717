/** What a repository says of its container: devcontainer.json, and the features beside it, as far as it stays inside. */
@NullMarked
package io.maestro.docker.internal.sandbox.devcontainer;

import org.jspecify.annotations.NullMarked;
