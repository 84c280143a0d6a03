//! A scene as one SVG file that needs nothing else: no script, no foreign object, no font, no style from outside.

use std::fmt::Write as _;

use crate::palette;
use crate::scene::{Anchor, Area, Role, Scene, Shape, TextSize};

/// The picture as SVG text. The same scene gives the same bytes everywhere.
pub fn print(scene: &Scene) -> String {
    let mut out = String::with_capacity(16 << 10);
    let Scene { width, height, .. } = scene;
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">"
    );
    escape(&mut out, &scene.title);
    out.push_str("</title>\n<desc id=\"desc\">");
    escape(&mut out, &scene.description);
    out.push_str("</desc>\n<style>");
    out.push_str(&palette::standalone(|role| {
        role == Role::Ground || scene.shapes.iter().any(|shape| shape.role() == role)
    }));
    out.push_str("</style>\n");
    shape(
        &mut out,
        &Shape::Rect {
            role: Role::Ground,
            area: Area {
                x: 0,
                y: 0,
                w: *width,
                h: *height,
            },
            round: 0,
        },
    );
    for each in &scene.shapes {
        shape(&mut out, each);
    }
    out.push_str("</svg>\n");
    out
}

fn shape(out: &mut String, shape: &Shape) {
    let class = shape.role().class();
    match shape {
        Shape::Path { d, .. } => {
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{d}\"/>");
        }
        Shape::Rect {
            area: Area { x, y, w, h },
            round,
            ..
        } => {
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\""
            );
            if *round > 0 {
                let _ = write!(out, " rx=\"{round}\"");
            }
            out.push_str("/>\n");
        }
        Shape::Line { from, to, .. } => {
            let _ = writeln!(
                out,
                "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
                from.0, from.1, to.0, to.1
            );
        }
        Shape::Text {
            at: (x, y),
            anchor,
            size,
            mono,
            turned,
            text,
            ..
        } => {
            let _ = write!(out, "<text class=\"{class}");
            if *size != TextSize::Small {
                let _ = write!(out, " {}", size.class());
            }
            if *mono {
                out.push_str(" m");
            }
            let _ = write!(out, "\" x=\"{x}\" y=\"{y}\"");
            if *anchor != Anchor::Start {
                let _ = write!(out, " text-anchor=\"{}\"", anchor.name());
            }
            if *turned {
                let _ = write!(out, " transform=\"rotate(-90 {x} {y})\"");
            }
            out.push('>');
            escape(out, text);
            out.push_str("</text>\n");
        }
    }
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
}
