# SPDX-License-Identifier: Apache-2.0
"""Turns the interface tables into programs that compile only when the headers agree with them."""
import re

import tables

ERROR_TYPES = {"static const int": "const int", "static const uint32_t": "const uint32_t"}


def includes(cpp):
    headers = tables.all_headers() if cpp else tables.c_headers()
    text = "#define ENABLE_DVPP_INTERFACE\n#include <stddef.h>\n#include <stdint.h>\n" + ("#include <type_traits>\n" if cpp else "")
    return text + "".join(f'#include "{header}"\n' for header in headers)


def check(condition, what):
    return f'STATIC_CHECK({condition}, "{what}");\n'


def same(left, right):
    return check(f"(std::is_same<{left}, {right}>::value)", f"{left} is {right}".replace('"', "'"))


def macro_checks(header, cpp):
    for name, form, decimal in header.macros:
        if form == "function-like":
            yield f"#ifndef {name.split('(')[0]}\n#error {name}\n#endif\n"
        elif form.startswith("const "):
            if cpp:
                yield check(f"{name} == {decimal}LL", name)
                yield same(f"decltype({name})", "const " + form.split()[1])
        else:
            yield f"#ifndef {name}\n#error {name}\n#endif\n"
            yield check(f"sizeof({name}) == sizeof({form})", name)
            if decimal:
                yield check(f"{name} == {decimal}{'ULL' if int(decimal) > 2**31 else ''}", name)
            else:
                yield f"extern char text_of_{name}[({name}[0] == {form}[0]) ? 1 : -1];\n" if cpp else ""


def enum_checks(header, cpp):
    for enum in header.enums:
        spelling = enum.typedef or f"enum {enum.tag}"
        yield check(f"sizeof({spelling}) == 4", enum.name)
        if enum.tag and enum.typedef and cpp:
            yield same(f"enum {enum.tag}", enum.typedef)
        for name, number, _ in enum.values:
            yield check(f"{name} == {number}", name)
            if cpp:
                yield same(f"decltype({name})", spelling)


def field_checks(aggregate, spelling, cpp):
    for field in aggregate.fields:
        base = field.name.split("[")[0]
        yield check(f"offsetof({spelling}, {base}) == {field.offset}", f"{aggregate.name}.{base}")
        yield check(f"sizeof((({spelling}*)0)->{base}) == {field.size}", f"{aggregate.name}.{base}")
        if cpp and field.type and "." not in base and field.size:
            extents = "".join(re.findall(r"\[\d+\]", field.name))
            yield f"typedef {field.type} {aggregate.name}_{base}{extents};\n"
            yield same(f"decltype({spelling}::{base})", f"{aggregate.name}_{base}")


def aggregate_checks(header, cpp):
    for aggregate in header.aggregates:
        spelling = aggregate.typedef or (aggregate.tag if cpp else f"{aggregate.kind} {aggregate.tag}")
        yield check(f"sizeof({spelling}) == {aggregate.size}", aggregate.name)
        yield check(f"ALIGN_OF({spelling}) == {aggregate.align}", aggregate.name)
        if cpp and aggregate.tag and aggregate.typedef:
            yield same(f"{aggregate.kind} {aggregate.tag}", aggregate.typedef)
        yield from field_checks(aggregate, spelling, cpp)


def typedef_checks(header, cpp):
    for name, meaning in header.typedefs if cpp else []:
        opaque = re.match(r"opaque (struct \w+)", meaning)
        yield same(name, opaque[1] if opaque else meaning)
    for name, returns, parameters in header.callbacks if cpp else []:
        yield f"typedef {returns} (*table_{name})({parameters});\n" + same(name, f"table_{name}")


def error_checks(cpp):
    for row in tables.errors():
        name, form = row["name"], row["declared_as"]
        if form == "macro":
            yield f"#ifndef {name}\n#error {name}\n#endif\n" + check(f"{name} == {row['value']}", name)
        elif cpp:
            yield f"#ifdef {name}\n#error {name} is a macro\n#endif\n"
            yield check(f"{name} == {row['value']}", name) + same(f"decltype({name})", ERROR_TYPES[form])


def assertions(cpp):
    """Static assertions for every enumerator, macro, constant, type, layout and error code."""
    text = includes(cpp)
    text += "#define STATIC_CHECK static_assert\n" if cpp else "#define STATIC_CHECK _Static_assert\n"
    text += "#define ALIGN_OF alignof\n" if cpp else "#define ALIGN_OF _Alignof\n"
    text += '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"\n'
    for name, header in tables.types().items():
        if cpp or not tables.CPP_ONLY.match(name):
            for checks in (macro_checks, enum_checks, aggregate_checks, typedef_checks):
                text += "".join(checks(header, cpp))
    return text + "".join(error_checks(cpp)) + "int main(void) { return 0; }\n"


def prototypes(cpp):
    """Every function declared once more, from the table, beside its header."""
    text = includes(cpp) + '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"\n'
    text += 'extern "C" {\n' if cpp else ""
    for row in tables.functions():
        if cpp or not tables.CPP_ONLY.match(row["header"]):
            text += f"{row['return']} {row['function']}({row['parameters']});\n"
    return text + ("}\n" if cpp else "") + "int main(void) { return 0; }\n"


def addresses(cpp):
    """A program that links only when every function is exported, and fails when one has no address."""
    rows = [row for row in tables.functions() if tables.CPP_ONLY.match(row["header"]) is None or cpp]
    text = includes(cpp).replace('#include "acl/acl_rt_api.h"\n', "")
    text += '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"\n#include <stdio.h>\n'
    text += "typedef void (*Function)(void);\n"
    text += "static const struct {\n  const char* name;\n  Function address;\n} functions[] = {\n"
    text += "".join(f'  {{"{row["function"]}", (Function)&{row["function"]}}},\n' for row in rows) + "};\n"
    return text + """
int main(void) {
  int missing = 0;
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i)
    if (!functions[i].address) missing += printf("%s has no address\\n", functions[i].name) > 0;
  return missing != 0;
}
"""
