package io.maestro.examples.boot.app;

import io.maestro.Maestro;
import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Stories over HTTP. Put a filter with your users' rights before it: whoever may submit a story may change the repository. */
@RestController
@RequestMapping("/stories/{id}")
class StoryController {
    private final Maestro maestro;

    StoryController(Maestro maestro) {
        this.maestro = maestro;
    }

    @PutMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    void submit(@PathVariable("id") String id, @RequestBody String markdown) {
        maestro.submit(Story.fromMarkdown(id, markdown).build());
    }

    @GetMapping
    ResponseEntity<Shown> state(@PathVariable("id") String id) {
        return ResponseEntity.of(maestro.auditLog().story(id).map(Shown::of));
    }

    /** An id or a text that cannot be one of a story. */
    @ExceptionHandler
    ProblemDetail invalid(IllegalArgumentException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, e.getMessage());
    }

    /** Such as another text for an id that is taken. */
    @ExceptionHandler
    ProblemDetail refused(MaestroException e) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, e.getMessage());
    }

    /** What clients see of a story; a commit or an error at its end only. */
    record Shown(
            String title,
            CoderState state,
            @Nullable String mergeCommit,
            @Nullable String error) {
        static Shown of(AuditLog.StoryRecord story) {
            return new Shown(story.title(), story.state(), story.mergeCommit(), story.error());
        }
    }
}
