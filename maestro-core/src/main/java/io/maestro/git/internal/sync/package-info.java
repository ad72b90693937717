/**
 * Keeps a workspace the same as its remote copy, on an engine that does not see this machine's files. Local changes are sent
 * file by file; what was changed in the copy comes back as a git bundle, is checked and is written.
 * {@link io.maestro.git.internal.sync.WorkspaceSync} is the entrance, called by the module that runs containers: it brings the
 * {@link io.maestro.git.internal.sync.FileSink} and the bundle. Must never know how these travel (engine, volume, tar), nor the
 * mirror, stories or branches, and trusts nothing of what comes back.
 */
@NullMarked
package io.maestro.git.internal.sync;

import org.jspecify.annotations.NullMarked;
