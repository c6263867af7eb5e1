// What the pictures share: SVG 1.1 with its own white background, so that it reads on light and
// dark pages, and no fonts or scripts of its own.
#pragma once

#include <string>
#include <string_view>

namespace qirkat {

// `text` for an element or an attribute: markup is escaped, control characters become spaces.
// UTF-8 in, UTF-8 out.
std::string XmlText(std::string_view text);

// A coordinate in pixels, to a hundredth.
std::string Pixels(double value);

// A text element; `look` is its classes ("tick end"), (x, y) its anchor on the baseline.
std::string SvgText(double x, double y, std::string_view look, std::string_view text);

// The whole file: `style` is CSS for the classes used in `body`; `title` is what a reader hears
// instead of the picture.
std::string SvgDocument(double width, double height, std::string_view title, std::string_view style,
                        std::string_view body);

}  // namespace qirkat
