#include "frontends/pictures/svg.h"

#include <cmath>

#include "envs/core/text.h"

namespace qirkat {

std::string XmlText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

std::string Pixels(double value) { return NumberText(std::round(value * 100) / 100); }

std::string SvgText(double x, double y, std::string_view look, std::string_view text) {
  return StrCat("<text x=\"", Pixels(x), "\" y=\"", Pixels(y), "\" class=\"", look, "\">",
                XmlText(text), "</text>\n");
}

std::string SvgDocument(double width, double height, std::string_view title, std::string_view style,
                        std::string_view body) {
  const std::string size = StrCat("width=\"", Pixels(width), "\" height=\"", Pixels(height), '"');
  return StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" ", size, " viewBox=\"0 0 ", Pixels(width), ' ',
      Pixels(height), "\" role=\"img\">\n<title>", XmlText(title), "</title>\n<style>\n",
      "text { font-family: Helvetica, Arial, sans-serif; font-size: 13px; fill: #333 }\n"
      ".middle { text-anchor: middle }\n.end { text-anchor: end }\n",
      style, "</style>\n<rect class=\"page\" fill=\"#fff\" ", size, "/>\n", body, "</svg>\n");
}

}  // namespace qirkat
