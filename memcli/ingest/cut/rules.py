"""The definitions of each language: the node types of its grammar, the kind that each defines, and where its name is.

Data only; `definitions.py` reads it. Node types and fields are those of the grammar packages' `node-types.json`.
"""

from __future__ import annotations

from collections.abc import Mapping

from memcli.records import Record


class Rule(Record):
    """What a node of some type defines.

    `name` lists where the name may be: the first field or child type that exists counts; `a/b` goes down, `a*` repeats.
    `via` lists children by field or type: the node only wraps one of them, which is the definition.
    `kinds` gives the kind by the type of a child (its field or type before the colon), `kind` that of all others; a node without
    a kind defines nothing. `owner` is the path to the type of a method that is defined outside its type.
    """

    kind: str = ""
    name: str = "name"
    via: str = ""
    kinds: Mapping[str, str] = {}
    owner: str = ""


class Grammar(Record):
    """A grammar package's module, the function in it that returns the language, and the language's definitions."""

    module: str
    rules: Mapping[str, Rule]
    function: str = "language"


LEADING = frozenset(
    """comment line_comment block_comment multiline_comment doc_comment html_comment attribute_item attribute_list decorator
    annotation""".split()
)
"""Node types that belong to the definition below them."""

CONTAINERS = frozenset(("class", "interface", "struct", "enum"))
"""Kinds whose functions are methods."""

BODIES = frozenset(("function", "method"))
"""Kinds in which a constant is a local variable, not a definition."""

_CLOSURES = ("arrow_function", "function_expression", "function", "generator_function")
_FUNCTION = Rule("function")
_CLASS = Rule("class")
_INTERFACE = Rule("interface")
_STRUCT = Rule("struct")
_ENUM = Rule("enum")
_MODULE = Rule("module")
_KEY = Rule("key", "bare_key dotted_key quoted_key")
_TYPE = Rule("type")
_CONSTANT = Rule("constant")

_PYTHON = {
    "function_definition": _FUNCTION,
    "class_definition": _CLASS,
    "decorated_definition": Rule(via="definition"),
    "expression_statement": Rule(via="assignment"),
    "assignment": Rule(name="left", kinds={"left:identifier": "constant"}),
    "type_alias_statement": Rule("type", "left"),
}
_JAVASCRIPT = {
    "function_declaration": _FUNCTION,
    "generator_function_declaration": _FUNCTION,
    "class_declaration": _CLASS,
    "method_definition": Rule("method"),
    "field_definition": Rule(name="property", kinds={f"value:{closure}": "method" for closure in _CLOSURES}),
    "lexical_declaration": Rule(via="variable_declarator"),
    "variable_declaration": Rule(via="variable_declarator"),
    "variable_declarator": Rule(
        "constant", kinds={f"value:{closure}": "function" for closure in _CLOSURES} | {"value:class": "class"}
    ),
    "export_statement": Rule(via="declaration"),
    "expression_statement": Rule(via="assignment_expression internal_module"),
    "assignment_expression": Rule(
        name="left", kinds={f"right:{closure}": "function" for closure in _CLOSURES} | {"right:class": "class"}
    ),
    "pair": Rule(name="key", kinds={f"value:{closure}": "function" for closure in _CLOSURES}),
}
_TYPESCRIPT = _JAVASCRIPT | {
    "abstract_class_declaration": _CLASS,
    "public_field_definition": Rule(kinds={f"value:{closure}": "method" for closure in _CLOSURES}),
    "interface_declaration": _INTERFACE,
    "type_alias_declaration": _TYPE,
    "enum_declaration": _ENUM,
    "internal_module": _MODULE,
    "module": _MODULE,
    "ambient_declaration": Rule(
        via="module internal_module class_declaration interface_declaration function_signature enum_declaration "
        "lexical_declaration"
    ),
    "function_signature": _FUNCTION,
}
_GO = {
    "function_declaration": _FUNCTION,
    "method_declaration": Rule("method", owner="receiver/parameter_declaration/type"),
    "type_declaration": Rule(via="type_spec type_alias"),
    "type_spec": Rule("type", kinds={"type:struct_type": "struct", "type:interface_type": "interface"}),
    "type_alias": _TYPE,
    "const_declaration": Rule(via="const_spec"),
    "const_spec": _CONSTANT,
    "var_declaration": Rule(via="var_spec var_spec_list"),
    "var_spec_list": Rule(via="var_spec"),
    "var_spec": _CONSTANT,
}
_RUST = {
    "function_item": _FUNCTION,
    "struct_item": _STRUCT,
    "union_item": _STRUCT,
    "enum_item": _ENUM,
    "trait_item": _INTERFACE,
    "impl_item": Rule("class", "type"),
    "mod_item": _MODULE,
    "type_item": _TYPE,
    "const_item": _CONSTANT,
    "static_item": _CONSTANT,
    "macro_definition": _FUNCTION,
}
_JAVA = {
    "class_declaration": _CLASS,
    "record_declaration": _CLASS,
    "interface_declaration": _INTERFACE,
    "annotation_type_declaration": _INTERFACE,
    "enum_declaration": _ENUM,
    "method_declaration": Rule("method"),
    "constructor_declaration": Rule("method"),
    "compact_constructor_declaration": Rule("method"),
    "field_declaration": Rule("constant", "declarator/name"),
}
_KOTLIN = {
    "class_declaration": Rule("class", "name identifier", kinds={"interface:interface": "interface"}),
    "object_declaration": Rule("class", "name identifier"),
    "companion_object": Rule("class", "name identifier companion"),
    "function_declaration": _FUNCTION,
    "secondary_constructor": Rule("method", "constructor"),
    "property_declaration": Rule("constant", "variable_declaration/identifier"),
    "type_alias": Rule("type", "type identifier"),
}
_C = {
    "function_definition": Rule("function", "declarator*"),
    "struct_specifier": Rule(kinds={"body:field_declaration_list": "struct"}),
    "union_specifier": Rule(kinds={"body:field_declaration_list": "struct"}),
    "enum_specifier": Rule(kinds={"body:enumerator_list": "enum"}),
    "type_definition": Rule("type", "declarator*"),
    "preproc_def": _CONSTANT,
    "preproc_function_def": _FUNCTION,
    "declaration": Rule(name="declarator/declarator*", kinds={"declarator:init_declarator": "constant"}),
}
_CPP = _C | {
    "class_specifier": Rule(kinds={"body:field_declaration_list": "class"}),
    "namespace_definition": _MODULE,
    "alias_declaration": _TYPE,
    "concept_definition": _TYPE,
    "template_declaration": Rule(
        via="function_definition class_specifier struct_specifier alias_declaration concept_definition declaration"
    ),
}
_CSHARP = {
    "class_declaration": _CLASS,
    "record_declaration": _CLASS,
    "interface_declaration": _INTERFACE,
    "struct_declaration": _STRUCT,
    "enum_declaration": _ENUM,
    "namespace_declaration": _MODULE,
    "method_declaration": Rule("method"),
    "constructor_declaration": Rule("method"),
    "property_declaration": Rule("constant"),
    "delegate_declaration": _TYPE,
    "local_function_statement": _FUNCTION,
    "field_declaration": Rule("constant", "variable_declaration/variable_declarator/name"),
}
_RUBY = {
    "class": _CLASS,
    "module": _MODULE,
    "method": _FUNCTION,
    "singleton_method": _FUNCTION,
    "assignment": Rule(name="left", kinds={"left:constant": "constant"}),
}
_PHP = {
    "class_declaration": _CLASS,
    "interface_declaration": _INTERFACE,
    "trait_declaration": _CLASS,
    "enum_declaration": _ENUM,
    "method_declaration": Rule("method"),
    "function_definition": _FUNCTION,
    "const_declaration": Rule("constant", "const_element/name"),
    "namespace_definition": Rule(kinds={"body:compound_statement": "module"}),
}
_SWIFT = {
    "class_declaration": Rule("class", kinds={"struct:struct": "struct", "enum:enum": "enum"}),
    "protocol_declaration": _INTERFACE,
    "function_declaration": _FUNCTION,
    "protocol_function_declaration": Rule("method"),
    "init_declaration": Rule("method", "init"),
    "deinit_declaration": Rule("method", "deinit"),
    "property_declaration": _CONSTANT,
    "typealias_declaration": _TYPE,
}
_SCALA = {
    "class_definition": _CLASS,
    "object_definition": _CLASS,
    "trait_definition": _INTERFACE,
    "enum_definition": _ENUM,
    "function_definition": _FUNCTION,
    "function_declaration": _FUNCTION,
    "given_definition": _CONSTANT,
    "type_definition": _TYPE,
    "val_definition": Rule("constant", "pattern"),
    "package_object": _MODULE,
}
_SHELL = {
    "function_definition": _FUNCTION,
    "variable_assignment": _CONSTANT,
    "declaration_command": Rule(via="variable_assignment"),
}
_SQL = {
    "statement": Rule(
        via="create_table create_view create_materialized_view create_index create_function create_procedure create_trigger "
        "create_type"
    ),
    "create_table": Rule("type", "object_reference"),
    "create_view": Rule("type", "object_reference"),
    "create_materialized_view": Rule("type", "object_reference"),
    "create_index": Rule("constant", "column object_reference"),
    "create_function": Rule("function", "object_reference"),
    "create_procedure": Rule("function", "object_reference"),
    "create_trigger": Rule("function", "object_reference"),
    "create_type": Rule("type", "object_reference"),
}
_HTML = {
    "element": Rule("section", "start_tag/#id"),
    "script_element": Rule("section", "start_tag/#id"),
    "style_element": Rule("section", "start_tag/#id"),
}
_CSS = {
    "rule_set": Rule("section", "selectors"),
    "keyframes_statement": Rule("section", "keyframes_name"),
    "media_statement": Rule("section", "feature_query binary_query keyword_query"),
}
_TOML = {"table": _KEY, "table_array_element": _KEY, "pair": _KEY}

GRAMMARS = {
    "python": Grammar("tree_sitter_python", _PYTHON),
    "javascript": Grammar("tree_sitter_javascript", _JAVASCRIPT),
    "typescript": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    "go": Grammar("tree_sitter_go", _GO),
    "rust": Grammar("tree_sitter_rust", _RUST),
    "java": Grammar("tree_sitter_java", _JAVA),
    "kotlin": Grammar("tree_sitter_kotlin", _KOTLIN),
    "c": Grammar("tree_sitter_c", _C),
    "cpp": Grammar("tree_sitter_cpp", _CPP),
    "csharp": Grammar("tree_sitter_c_sharp", _CSHARP),
    "ruby": Grammar("tree_sitter_ruby", _RUBY),
    "php": Grammar("tree_sitter_php", _PHP, "language_php"),
    "swift": Grammar("tree_sitter_swift", _SWIFT),
    "scala": Grammar("tree_sitter_scala", _SCALA),
    "shell": Grammar("tree_sitter_bash", _SHELL),
    "sql": Grammar("tree_sitter_sql", _SQL),
    "html": Grammar("tree_sitter_html", _HTML),
    "css": Grammar("tree_sitter_css", _CSS),
    "toml": Grammar("tree_sitter_toml", _TOML),
}
