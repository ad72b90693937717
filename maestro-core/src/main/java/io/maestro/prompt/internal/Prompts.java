package io.maestro.prompt.internal;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.MustacheException;
import com.samskivert.mustache.Template;
import io.maestro.error.MaestroException;
import io.maestro.internal.Names;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The prompts: Mustache templates beside this class, or the host's in their place. Strict: a variable that is not given is
 * an error, since a hole in a prompt is not seen by anyone but the model. Safe for use by several threads.
 */
public final class Prompts {
    // Prompts are Markdown, not HTML; and an unknown section is as much a mistake as an unknown variable.
    private final Mustache.Compiler compiler =
            Mustache.compiler().escapeHTML(false).strictSections(true).emptyStringIsFalse(true);
    private final Map<PromptTemplate, Template> templates = new ConcurrentHashMap<>();

    /** Maestro's own prompts. */
    public Prompts() {
        this(Map.of());
    }

    /**
     * Prompts of a host, and Maestro's own for the others.
     *
     * @param own templates by the prompts' names
     * @throws MaestroException when a name is none, or a template cannot be used; the message says why
     */
    public Prompts(Map<String, String> own) {
        own.forEach((name, text) -> {
            PromptTemplate prompt = require(name);
            templates.put(prompt, checked(prompt, text));
        });
    }

    /** What to say about a prompt that is not there. */
    public static String unknown(String name) {
        String hint = Names.nearest(name, PromptTemplate.ids())
                .map(near -> "; did you mean '" + near + "'?")
                .orElse("");
        return "there is no prompt '" + name + "'" + hint + "; there are " + String.join(", ", PromptTemplate.ids());
    }

    /**
     * Fills in a template.
     *
     * @param name the prompt's name
     * @param variables all that the prompt has, and no other
     * @return the prompt
     */
    public String render(String name, Map<String, ?> variables) {
        PromptTemplate prompt = require(name);
        if (!variables.keySet().equals(prompt.samples().keySet())) {
            // Else a template that was found good when the Maestro was built would fail in the middle of a story.
            throw new IllegalArgumentException(
                    "the prompt '" + name + "' has " + prompt.variables() + ", is given " + variables.keySet());
        }
        try {
            return templates.computeIfAbsent(prompt, this::load).execute(variables);
        } catch (MustacheException e) {
            throw new MaestroException("prompt '" + name + "' cannot be filled in: " + e.getMessage(), e);
        }
    }

    private static PromptTemplate require(String name) {
        return PromptTemplate.find(name).orElseThrow(() -> new MaestroException(unknown(name)));
    }

    private Template checked(PromptTemplate prompt, String text) {
        try {
            Template template = compiler.compile(text);
            TemplateCheck.fault(text, template, prompt).ifPresent(fault -> {
                throw new MaestroException(
                        "the template for the prompt '" + prompt.id() + "' cannot be used: " + fault);
            });
            return template;
        } catch (MustacheException e) {
            throw new MaestroException(
                    "the template for the prompt '" + prompt.id() + "' cannot be used: " + e.getMessage(), e);
        }
    }

    private Template load(PromptTemplate prompt) {
        try (InputStream resource = Prompts.class.getResourceAsStream(prompt.id() + ".mustache")) {
            if (resource == null) {
                throw new IllegalStateException("the prompt '" + prompt.id() + "' is not beside " + Prompts.class);
            }
            return checked(prompt, new String(resource.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new MaestroException("prompt '" + prompt.id() + "' cannot be read", e);
        }
    }
}
