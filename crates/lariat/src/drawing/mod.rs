//! Drawings of statecharts that need no other program: SVG, and Mermaid for Markdown.

mod chart;
mod layered;
pub mod mermaid;
pub mod svg;
