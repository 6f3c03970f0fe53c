//! Tables: columns two spaces apart, no lines, whole without a terminal and cut to its width with one.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement};

use super::style::{Screen, Tone};

#[derive(Clone, Copy, Debug)]
pub enum Column {
    Left(&'static str),
    Right(&'static str),
}

#[derive(Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<(Tone, String)>>,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = (Tone, String)>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub fn render(&self, screen: &Screen) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        match screen.width() {
            Some(width) => {
                table.set_content_arrangement(ContentArrangement::Dynamic);
                table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
            }
            None => {
                table.set_content_arrangement(ContentArrangement::Disabled);
            }
        }
        if screen.has_colour() {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table.set_header(self.columns.iter().map(|column| Cell::new(column.name()).add_attribute(Attribute::Bold)));
        for row in &self.rows {
            table.add_row(row.iter().map(|(tone, text)| cell(*tone, &screen.visible(text))));
        }
        for (index, column) in self.columns.iter().enumerate() {
            let Some(shown) = table.column_mut(index) else { continue };
            shown.set_padding((0, 2));
            if matches!(column, Column::Right(_)) {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
        // The last column needs no room behind it, and nobody needs spaces at the end of a line.
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n") + "\n"
    }
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Self::Left(name) | Self::Right(name) => name,
        }
    }
}

fn cell(tone: Tone, text: &str) -> Cell {
    let cell = Cell::new(text);
    match tone {
        Tone::Plain => cell,
        Tone::Strong => cell.add_attribute(Attribute::Bold),
        Tone::Faint => cell.add_attribute(Attribute::Dim),
        Tone::Good => cell.fg(Color::DarkGreen),
        Tone::Busy => cell.fg(Color::DarkYellow),
        Tone::Bad => cell.fg(Color::DarkRed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_a_table_is_plain_text() {
        let mut table = Table::new([Column::Left("TEAM"), Column::Right("QUEUED")]);
        table.row([(Tone::Strong, "alpha".to_owned()), (Tone::Plain, "2".to_owned())]);
        table.row([(Tone::Strong, "a-longer-name".to_owned()), (Tone::Plain, "10".to_owned())]);
        assert_eq!(
            table.render(&Screen::test(false, false)),
            "TEAM           QUEUED\nalpha               2\na-longer-name      10\n"
        );
    }

    #[test]
    fn a_cell_cannot_bring_its_own_colours() {
        let mut table = Table::new([Column::Left("TEAM")]);
        table.row([(Tone::Bad, "\u{1b}[32mfine".to_owned())]);
        let shown = table.render(&Screen::test(true, true));
        assert!(shown.contains("\\u{1b}[32mfine"), "{shown:?}");
    }
}
