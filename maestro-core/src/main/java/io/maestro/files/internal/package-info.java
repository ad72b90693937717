/**
 * Files in directories that an agent can write: reached without ever following a link of its making
 * ({@link io.maestro.files.internal.SafeDirectory}), opened without waiting for it ({@link io.maestro.files.internal.Opener}),
 * named by one spelling alone ({@link io.maestro.files.internal.CanonicalPath}), and looked through in bounded time ({@link io.maestro.internal.Effort}, {@link io.maestro.internal.Wildmatch}).
 */
@NullMarked
package io.maestro.files.internal;

import org.jspecify.annotations.NullMarked;
