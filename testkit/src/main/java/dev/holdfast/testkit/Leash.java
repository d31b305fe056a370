package dev.holdfast.testkit;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * Runs a main class in a process that does not outlive the one that started it, however that ended: it halts when its standard input does, a pipe that
 * the starter holds open and never writes to. So the main class must not read its standard input, and the starter must leave it a pipe.
 *
 * <p>The class path names it before the main class: {@code java -cp ... dev.holdfast.testkit.Leash the.Main arguments}. A process that is stopped when its
 * starter ends halts when it is continued.
 */
public final class Leash {

    private Leash() {}

    /** The name of the main class, and its arguments. */
    public static void main(String[] arguments) throws Throwable {
        Thread.ofPlatform().daemon().name("leash").start(Leash::haltWithStarter);
        Method main = Class.forName(arguments[0]).getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            Object unused = main.invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static void haltWithStarter() {
        try {
            while (System.in.read() >= 0) {
                // nobody writes here
            }
        } catch (IOException e) {
            System.err.println("Whether the starter lives cannot be told, so this ends: " + e);
        }
        Runtime.getRuntime().halt(1);
    }
}
