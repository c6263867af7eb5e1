"""Prints the elements of an SVG file, one a line: its tag, its classes, its text.

    svg_elements.py FILE

A file that is no well-formed XML, or no SVG, is an error.
"""

import sys
import xml.etree.ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"

root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == NAMESPACE + "svg", root.tag
for element in root.iter():
    assert element.tag.startswith(NAMESPACE), element.tag
    text = " ".join((element.text or "").split())
    print(element.tag.removeprefix(NAMESPACE), element.get("class", ""), text, sep="|")
