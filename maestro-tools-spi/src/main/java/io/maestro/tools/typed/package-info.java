/**
 * Tools whose schemas come from Java types: {@link io.maestro.tools.typed.TypedTools} makes one of a record and a function, or of
 * each annotated method of an object.
 *
 * <p>What holds, and where: a type that cannot be said in the schema is refused when the factory is made ({@code ArgumentTypes});
 * what the schema lets through becomes a value of the type, or an error that names the place ({@code ArgumentType}, {@code Members});
 * what a method returns is data of JSON types ({@code ReturnedData}); whatever is called by reflection was made accessible before, or
 * refused with what the author's module must open ({@code Access}).
 */
@NullMarked
package io.maestro.tools.typed;

import org.jspecify.annotations.NullMarked;
