/** What an attempt holds on disks, and what happens when it is too much. */
@NullMarked
package io.maestro.docker.internal.disk;

import org.jspecify.annotations.NullMarked;
