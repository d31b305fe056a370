package dev.holdfast.verification;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;

/** The modules, their packages, and the modules each may know: the table of the architecture as code. */
enum Module {
    CORE("dev.holdfast"),
    TESTKIT("dev.holdfast.testkit"),
    UIMESSAGE("dev.holdfast.uimessage"),
    STORE_SQLITE("dev.holdfast.store.sqlite"),
    STORE_POSTGRES("dev.holdfast.store.postgres"),
    MODELS("dev.holdfast.models"),
    HTTP("dev.holdfast.http"),
    MCP("dev.holdfast.mcp"),
    MCP_SPRING_BOOT("dev.holdfast.mcp.spring"),
    CLIENT_JAVA("dev.holdfast.client"),
    SERVER("dev.holdfast.server"),
    BENCH("dev.holdfast.bench"),
    EXAMPLES("dev.holdfast.examples");

    private final String basePackage;

    Module(String basePackage) {
        this.basePackage = basePackage;
    }

    Set<Module> mayKnow() {
        return switch (this) {
            case CORE, CLIENT_JAVA -> Set.of();
            case TESTKIT, UIMESSAGE, STORE_SQLITE, STORE_POSTGRES -> Set.of(CORE);
            case MODELS, HTTP -> Set.of(CORE, UIMESSAGE);
            case MCP -> Set.of(CORE, HTTP);
            case MCP_SPRING_BOOT -> Set.of(CORE, HTTP, MCP);
            case SERVER -> Set.of(CORE, UIMESSAGE, STORE_SQLITE, STORE_POSTGRES, MODELS, HTTP, CLIENT_JAVA);
            case BENCH -> Set.of(CORE, UIMESSAGE, STORE_SQLITE, STORE_POSTGRES, HTTP, MCP, CLIENT_JAVA);
            case EXAMPLES -> Set.of(CORE, UIMESSAGE, STORE_SQLITE, MODELS, HTTP, MCP, CLIENT_JAVA, SERVER);
        };
    }

    /** The module with the longest base package that holds the class; core has all that no other module claims. */
    static Optional<Module> of(JavaClass javaClass) {
        String name = javaClass.getPackageName();
        return Arrays.stream(values())
                .filter(module -> name.equals(module.basePackage) || name.startsWith(module.basePackage + "."))
                .max(Comparator.comparingInt(module -> module.basePackage.length()));
    }
}
