/**
 * Who may change a mirror: {@link io.maestro.git.internal.lock.MirrorLock} keeps threads and processes apart, {@link
 * io.maestro.git.internal.lock.StaleLocks} removes what killed ones have left. Must never know what is done under a lock.
 */
@NullMarked
package io.maestro.git.internal.lock;

import org.jspecify.annotations.NullMarked;
