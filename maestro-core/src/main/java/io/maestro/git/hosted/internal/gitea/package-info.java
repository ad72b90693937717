/** What is different at Gitea and Forgejo. */
@NullMarked
package io.maestro.git.hosted.internal.gitea;

import org.jspecify.annotations.NullMarked;
