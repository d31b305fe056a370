package dev.holdfast.http.session;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A test, or a class of tests, that is for a server in its own process only. All others are run {@linkplain Where against servers here and elsewhere}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@interface InProcess {

    /** Why, as a sentence of docs/session-scenarios.md. */
    String value();
}
