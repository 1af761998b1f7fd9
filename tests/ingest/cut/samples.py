"""A small file in every language, whose definitions are each as large as a small limit, and what they are called."""

from __future__ import annotations

LIMIT = 60
"""Tokens of a chunk by which each definition of a sample becomes a chunk of its own."""

BODY = "return first_value + second_value * third_value - fourth_value"

PYTHON = f'''"""What it is for."""

import os

LARGEST_SIZE_OF_A_QUEUE = int(os.environ.get("LARGEST_SIZE", "1000"))


# Why it is there.
@cached
def size_of(first_value, second_value):
    {BODY}


class Stack(Base):
    """Holds things in the order of their arrival, last in first out."""

    def push(self, first_value, second_value):
        {BODY}

    async def pop(self, first_value, second_value):
        {BODY}
'''

JAVASCRIPT = f"""import {{ readFile }} from 'fs';

/** Why it is there. */
export function sizeOf(firstValue, secondValue) {{
  {BODY};
}}

export const area = async (firstValue, secondValue) => {{
  {BODY};
}};

exports.volume = function (firstValue, secondValue) {{
  {BODY};
}};

class Stack extends Base {{
  push(firstValue, secondValue) {{
    {BODY};
  }}
  onPop = (firstValue, secondValue) => {{
    {BODY};
  }}
}}
"""

TYPESCRIPT = f"""import {{ readFile }} from 'fs';

export interface Shape {{
  firstValue: number;
  secondValue: Map<string, number>;
  area(thirdValue: number): number;
}}

export type Point = {{ firstValue: number; secondValue: Map<string, number>; thirdValue: number }};

namespace Geometry {{
  export function sizeOf(firstValue: number, secondValue: number): number {{
    {BODY};
  }}
}}

export abstract class Stack<T> extends Base {{
  public push(firstValue: T, secondValue: number): number {{
    {BODY};
  }}
}}
"""

TSX = f"""export function View(props: {{ firstValue: number; secondValue: number }}) {{
  const name = props.firstValue;
  return <div className="view" onClick={{() => props.secondValue}}>{{name}}</div>;
}}

export const size = (firstValue: number, secondValue: number) => {{
  {BODY};
}};
"""

GO = f"""package stack

// Stack holds things in the order of their arrival, last in first out.
type Stack[T any] struct {{
	items, firstValue, secondValue []T
}}

// Push adds one to the top, growing the memory below where needed.
func (s *Stack[T]) Push(firstValue, secondValue int) int {{
	{BODY}
}}

func SizeOf(firstValue, secondValue, thirdValue int) int {{
	{BODY}
}}
"""

RUST = f"""use std::fmt;

/// Holds things in the order of their arrival.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack<T> {{
    items: Vec<T>,
    first_value: usize,
}}

impl<T> Stack<T> {{
    /// Adds one to the top.
    pub fn push(&mut self, first_value: usize, second_value: usize) -> usize {{
        {BODY}
    }}
}}

impl fmt::Display for Stack<u8> {{
    fn fmt(&self, formatter: &mut fmt::Formatter, first_value: usize) -> fmt::Result {{
        {BODY}
    }}
}}

mod inner {{
    pub fn size_of(first_value: usize, second_value: usize) -> usize {{
        {BODY}
    }}
}}

pub trait Shape {{
    fn area(&self, first_value: usize, second_value: usize, third_value: usize) -> usize;
}}
"""

JAVA = f"""package org.example;

import java.util.List;

/** Holds things in the order of their arrival, last in first out. */
@Deprecated
public class Stack<T> extends Base implements Shape {{
    private static final int LARGEST = Integer.parseInt(System.getenv("LARGEST_SIZE"));

    public Stack(int firstValue, int secondValue) {{
        {BODY};
    }}

    @Override
    public int push(int firstValue, int secondValue) {{
        {BODY};
    }}
}}

interface Shape {{
    int area(int firstValue, int secondValue, int thirdValue, int fourthValue, int fifthValue);
}}
"""

KOTLIN = f"""package org.example

/** Holds things in the order of their arrival. */
class Stack(private val items: List<Int>, val firstValue: Int) : Base() {{
    fun push(firstValue: Int, secondValue: Int): Int {{
        {BODY}
    }}

    companion object {{
        fun of(firstValue: Int, secondValue: Int): Int {{
            {BODY}
        }}
    }}
}}

interface Shape {{
    fun area(firstValue: Int, secondValue: Int, thirdValue: Int, fourthValue: Int): Int
}}

fun String.sizeOf(firstValue: Int, secondValue: Int, thirdValue: Int): Int {{
    {BODY}
}}
"""

C = f"""#include <stdio.h>

#define LARGEST_SIZE_OF_A_QUEUE (1000 * sizeof(struct stack) + sizeof(int) + 3)

/* Holds things in the order of their arrival. */
struct stack {{
    int first_value;
    struct stack *second_value, *third_value, *fourth_value;
}};

static char *size_of(int first_value, int second_value)
{{
    {BODY};
}}

#ifdef WITH_AREA
int area(int first_value, int second_value)
{{
    {BODY};
}}
#endif
"""

CPP = f"""#include <vector>

namespace geometry {{

template <typename T>
class Stack : public Base {{
 public:
  int push(int first_value, int second_value) {{
    {BODY};
  }}
  std::vector<T> items, first_value, second_value, third_value;
}};

int Stack::pop(int first_value, int second_value) const {{
  {BODY};
}}

}}  // namespace geometry
"""

CSHARP = f"""using System;

namespace Org.Example
{{
    /// <summary>Holds things in the order of their arrival.</summary>
    [Serializable]
    public class Stack<T> : Base
    {{
        public int Push(int firstValue, int secondValue)
        {{
            {BODY};
        }}
    }}

    public interface IShape
    {{
        int Area(int firstValue, int secondValue, int thirdValue, int fourthValue, int fifthValue);
    }}
}}
"""

RUBY = f"""require 'set'

module Geometry
  # Holds things in the order of their arrival, last in first out.
  class Stack < Base
    def push(first_value, second_value)
      {BODY}
    end

    def self.of(first_value, second_value)
      {BODY}
    end
  end
end
"""

PHP = """<?php
namespace Org\\Example;

/** Holds things in the order of their arrival, last in first out. */
class Stack extends Base
{
    public function push(int $firstValue, int $secondValue): int
    {
        return $firstValue + $secondValue * $thirdValue - $fourthValue;
    }
}

function size_of(int $firstValue, int $secondValue): int
{
    return $firstValue + $secondValue * $thirdValue - $fourthValue;
}
"""

SWIFT = f"""import Foundation

/// Holds things in the order of their arrival.
struct Stack: Shape {{
    var items, firstValue, secondValue: [Int]

    mutating func push(firstValue: Int, secondValue: Int) -> Int {{
        {BODY}
    }}
}}

protocol Shape {{
    func area(firstValue: Int, secondValue: Int, thirdValue: Int, fourthValue: Int) -> Int
}}

func sizeOf(firstValue: Int, secondValue: Int) -> Int {{
    {BODY}
}}
"""

SCALA = f"""package org.example

/** Holds things in the order of their arrival. */
class Stack(items: List[Int], firstValue: Int) extends Base {{
  def push(firstValue: Int, secondValue: Int): Int = {{
    {BODY}
  }}
}}

object Geometry {{
  def sizeOf(firstValue: Int, secondValue: Int): Int = {{
    {BODY}
  }}
}}

trait Shape {{
  def area(firstValue: Int, secondValue: Int, thirdValue: Int, fourthValue: Int): Int
}}
"""

SHELL = """#!/bin/bash
set -euo pipefail

# Removes what an earlier run left behind in the folder.
clean_up() {
    rm -rf "$FOLDER/first_value" "$FOLDER/second_value" "$FOLDER/third_value"
}

function size_of {
    du -sk "$FOLDER/first_value" "$FOLDER/second_value" | cut -f1 | sort -n | tail -1
}
"""

SQL = """-- Who may come in, and with what.
CREATE TABLE app.users (
  id integer PRIMARY KEY,
  first_value text NOT NULL,
  second_value text NOT NULL
);

CREATE VIEW grown_ups AS
  SELECT id, first_value, second_value FROM app.users WHERE third_value >= 18 ORDER BY id;

INSERT INTO app.users (id, first_value, second_value) VALUES (1, 'first', 'second'), (2, 'third', 'fourth');
"""

HTML = """<!DOCTYPE html>
<html>
<head><title>The house of values, with a first one and a second one</title></head>
<body>
<div id="menu">
  <p>The first value and the second value stand here, one after the other, in order.</p>
</div>
<div id="main">
  <p>The third value and the fourth value stand here, one after the other, in order.</p>
</div>
</body>
</html>
"""

CSS = """/* The menu and what is in it. */
.menu > .first-value, #second-value {
  color: rebeccapurple;
  background: url("first-value.png") no-repeat;
}

@media (max-width: 600px) {
  .menu { color: rebeccapurple; background: url("second-value.png") no-repeat; }
}
"""

# language: (file name, text, the symbols that chunks of it must have)
SAMPLES = {
    "python": ("stack.py", PYTHON, "size_of Stack Stack.push Stack.pop LARGEST_SIZE_OF_A_QUEUE"),
    "javascript": ("stack.js", JAVASCRIPT, "sizeOf area exports.volume Stack Stack.push Stack.onPop"),
    "typescript": ("stack.ts", TYPESCRIPT, "Shape Point Geometry Geometry.sizeOf Stack Stack.push"),
    "tsx": ("view.tsx", TSX, "View size"),
    "go": ("stack.go", GO, "Stack Stack.Push SizeOf"),
    "rust": ("stack.rs", RUST, "Stack Stack.push Stack.fmt inner inner.size_of Shape"),
    "java": ("Stack.java", JAVA, "Stack Stack.LARGEST Stack.Stack Stack.push Shape"),
    "kotlin": ("Stack.kt", KOTLIN, "Stack Stack.push Stack.companion Stack.companion.of Shape sizeOf"),
    "c": ("stack.c", C, "LARGEST_SIZE_OF_A_QUEUE stack size_of area"),
    "cpp": ("stack.h", CPP, "geometry geometry.Stack geometry.Stack.push geometry.Stack.pop"),
    "csharp": ("Stack.cs", CSHARP, "Org.Example Org.Example.Stack Org.Example.Stack.Push Org.Example.IShape"),
    "ruby": ("stack.rb", RUBY, "Geometry Geometry.Stack Geometry.Stack.push Geometry.Stack.of"),
    "php": ("stack.php", PHP, "Stack Stack.push size_of"),
    "swift": ("Stack.swift", SWIFT, "Stack Stack.items Stack.push Shape sizeOf"),
    "scala": ("Stack.scala", SCALA, "Stack Stack.push Geometry Geometry.sizeOf Shape"),
    "shell": ("clean", SHELL, "clean_up size_of"),
    "sql": ("users.sql", SQL, "app.users grown_ups"),
    "html": ("index.html", HTML, "menu main"),
    "css": ("menu.css", CSS, ""),
}
