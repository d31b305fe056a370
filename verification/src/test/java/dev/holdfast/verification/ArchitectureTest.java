package dev.holdfast.verification;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.AbstractList;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Holds the table of modules in the architecture: who may know whom, and which libraries stay where. */
@AnalyzeClasses(packages = "dev.holdfast", importOptions = ArchitectureTest.WithoutTests.class)
final class ArchitectureTest {

    /** Tests lie in their module's {@code test-classes}, wherever Maven's target is, or come along in a jar, for what they share with the tests here. */
    static final class WithoutTests implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }

    private static final List<Class<?>> UNLOCKED_COLLECTIONS = List.of(
            AbstractList.class,
            AbstractSet.class,
            ArrayDeque.class,
            PriorityQueue.class,
            HashMap.class,
            TreeMap.class,
            IdentityHashMap.class);

    @ArchTest
    static final ArchRule modules_know_only_the_modules_the_architecture_allows =
            classes().should(knowOnlyAllowedModules());

    @ArchTest
    static final ArchRule packages_of_core_form_no_cycle =
            slices().assignedFrom(packagesOfCore()).should().beFreeOfCycles().allowEmptyShould(true);

    @ArchTest
    static final ArchRule core_uses_the_jdk_slf4j_and_jspecify_and_nothing_else = classes()
            .that(areIn(Module.CORE))
            .should()
            .onlyDependOnClassesThat(areIn(Module.CORE)
                    .or(describe(
                            "are of the JDK, SLF4J or JSpecify",
                            c -> c.isPrimitive()
                                    || c.getPackageName().isEmpty()
                                    || isUnder(c, "java")
                                    || isUnder(c, "org.slf4j")
                                    || isUnder(c, "org.jspecify"))));

    @ArchTest
    static final ArchRule the_client_uses_the_jdk_jackson_slf4j_and_jspecify_and_nothing_else = classes()
            .that(areIn(Module.CLIENT_JAVA))
            .should()
            .onlyDependOnClassesThat(areIn(Module.CLIENT_JAVA)
                    .or(describe(
                            "are of the JDK, Jackson, SLF4J or JSpecify",
                            c -> c.isPrimitive()
                                    || c.getPackageName().isEmpty()
                                    || isUnder(c, "java")
                                    || isUnder(c, "tools.jackson")
                                    || isUnder(c, "com.fasterxml.jackson.annotation")
                                    || isUnder(c, "org.slf4j")
                                    || isUnder(c, "org.jspecify"))));

    @ArchTest
    static final ArchRule core_speaks_neither_jdbc_nor_a_network = noClasses()
            .that(areIn(Module.CORE))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "java.net..", "java.nio.channels..");

    @ArchTest
    static final ArchRule jdbc_is_seen_by_stores_only = noClasses()
            .that(describe(
                    "are outside the stores, the benchmarks' floors, which are stores without Holdfast, and the examples, which are applications",
                    c -> Module.of(c).stream()
                            .noneMatch(module -> module == Module.STORE_SQLITE
                                    || module == Module.STORE_POSTGRES
                                    || module == Module.BENCH
                                    || module == Module.EXAMPLES)))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite..", "org.postgresql..");

    @ArchTest
    static final ArchRule the_mcp_sdk_is_seen_by_mcp_and_by_applications_only = noClasses()
            .that(describe(
                    "are outside the modules for MCP, the benchmarks and the examples",
                    c -> Module.of(c).stream()
                            .noneMatch(
                                    module -> List.of(Module.MCP, Module.MCP_SPRING_BOOT, Module.BENCH, Module.EXAMPLES)
                                            .contains(module))))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.modelcontextprotocol..", "reactor..");

    @ArchTest
    static final ArchRule the_mcp_event_store_knows_neither_the_sdk_nor_http = noClasses()
            .that()
            .resideInAPackage("dev.holdfast.mcp.events..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.modelcontextprotocol..", "reactor..", "dev.holdfast.http..");

    @ArchTest
    static final ArchRule instances_share_no_collection_that_can_change = noFields()
            .that()
            .areStatic()
            .should()
            .haveRawType(describe(
                    "are collections without a lock",
                    type -> UNLOCKED_COLLECTIONS.stream().anyMatch(type::isAssignableTo)));

    @ArchTest
    static void every_module_was_read(com.tngtech.archunit.core.domain.JavaClasses classes) {
        // A class path without a module would make every rule about it hold.
        assertThat(classes.stream().flatMap(c -> Module.of(c).stream()).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(Module.values());
    }

    private static DescribedPredicate<JavaClass> areIn(Module module) {
        return describe(
                "are in " + module, c -> Module.of(c).filter(module::equals).isPresent());
    }

    private static boolean isUnder(JavaClass javaClass, String root) {
        return javaClass.getPackageName().equals(root)
                || javaClass.getPackageName().startsWith(root + ".");
    }

    private static ArchCondition<JavaClass> knowOnlyAllowedModules() {
        return new ArchCondition<>("know only the modules that the architecture allows") {
            @Override
            public void check(JavaClass javaClass, ConditionEvents events) {
                Module own = Module.of(javaClass).orElseThrow();
                javaClass
                        .getDirectDependenciesFromSelf()
                        .forEach(dependency -> Module.of(dependency.getTargetClass())
                                .filter(target ->
                                        target != own && !own.mayKnow().contains(target))
                                .ifPresent(target -> events.add(SimpleConditionEvent.violated(
                                        javaClass,
                                        "%s may not know %s: %s"
                                                .formatted(own, target, dependency.getDescription())))));
            }
        };
    }

    private static SliceAssignment packagesOfCore() {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
                Optional<Module> module = Module.of(javaClass);
                return module.filter(Module.CORE::equals).isPresent()
                        ? SliceIdentifier.of(javaClass.getPackageName())
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "packages of core";
            }
        };
    }
}
