/** What is different at GitLab. */
@NullMarked
package io.maestro.git.hosted.internal.gitlab;

import org.jspecify.annotations.NullMarked;
