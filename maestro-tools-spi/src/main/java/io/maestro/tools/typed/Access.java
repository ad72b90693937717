package io.maestro.tools.typed;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;

/** Calls the code of a tool's author by reflection. */
final class Access {
    private Access() {}

    /** What can fail is the author's code. */
    interface Call {
        Object invoke() throws ReflectiveOperationException;
    }

    /** Makes a method or constructor callable, or says what the author's module must do. */
    static <T extends AccessibleObject & Member> T open(T member) {
        Class<?> owner = member.getDeclaringClass();
        if (!member.trySetAccessible()) {
            throw new IllegalArgumentException(
                    member + " cannot be called: add 'opens " + owner.getPackageName() + " to "
                            + spi() + ";' to the module descriptor of "
                            + owner.getModule().getName()
                            + ", or make it, its class and its package public");
        }
        return member;
    }

    private static String spi() {
        Module module = Access.class.getModule();
        return module.isNamed() ? module.getName() : "io.maestro.tools.spi";
    }

    /** The author's exception comes out as it is. */
    static Object call(Executable what, Call call) throws Exception {
        try {
            return call.invoke();
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof Exception exception) {
                throw exception;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(what + " failed", thrown);
        }
    }
}
