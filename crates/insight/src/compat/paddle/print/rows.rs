//! The layout of each of Paddle's tables: widths, headings, indented rows.

use crate::analysis::{Table, TableRow, Value};
use crate::compat::bounds::name_width;
use proftui_base::fmt::TimeUnit;

use super::cells::{five, one, unit_name};
use super::names::{fit, without_arguments};
use super::sheet::Sheet;

const CPU: &str = "CPU Total / Avg / Max / Min / Ratio(%)";
const GPU: &str = "GPU Total / Avg / Max / Min / Ratio(%)";
const OPERATOR: usize = 52;
const KERNEL: usize = 90;

/// Prints a table in the layout that Paddle has for its view.
pub(super) fn render(table: &Table, unit: TimeUnit) -> String {
    match table.view {
        "device" => device(table, unit),
        "overview" => overview(table, unit),
        "model" => model(table, unit),
        "distributed" => plain(table, unit),
        "operator" => operator(table, unit),
        "kernel" => kernel(table, unit),
        "memcpy" => ranges(table, std::slice::from_ref(&table.rows), false, unit),
        "userdefined" => {
            let threads: Vec<Vec<TableRow>> = table.rows.iter().map(|row| row.children.clone()).collect();
            ranges(table, &threads, true, unit)
        }
        _ => table.rows.iter().map(|place| memory(table, place, unit)).collect(),
    }
}

/// Appends the title, the line with the time unit (left out for None), and the headings with dashes above
/// and below.
fn head(sheet: &mut Sheet, title: &str, unit: Option<TimeUnit>, headings: &[&str]) {
    sheet.title(title);
    if let Some(unit) = unit {
        sheet.line(&format!("Time unit: {}", unit_name(unit)));
    }
    sheet.rule();
    sheet.row(headings);
    sheet.rule();
}

fn device(table: &Table, unit: TimeUnit) -> String {
    let mut sheet = Sheet::new(vec![30, 20]);
    head(&mut sheet, table.title, None, &["Device", "Utilization (%)"]);
    for row in &table.rows {
        sheet.row(&[one(&row.cells[0], unit), one(&row.cells[1], unit)]);
    }
    sheet.rule();
    sheet.notes(&table.notes);
    sheet.finish()
}

fn overview(table: &Table, unit: TimeUnit) -> String {
    let mut sheet = Sheet::new(vec![25; 4]);
    head(&mut sheet, table.title, Some(unit), &["Event Type", "Calls", "CPU Time", "Ratio (%)"]);
    let is_device = |row: &&TableRow| one(&row.cells[1], unit) == "GPU";
    let cells = |row: &TableRow, indent: &str| {
        let [name, _, values @ ..] = row.cells.as_slice() else { return Vec::new() };
        let name = format!("{indent}{}", one(name, unit));
        std::iter::once(name).chain(values.iter().map(|value| one(value, unit))).collect::<Vec<_>>()
    };
    for (i, row) in table.rows.iter().filter(|row| !is_device(row)).enumerate() {
        sheet.row(&cells(row, if i == 0 { "" } else { "  " }));
    }
    sheet.rule();
    sheet.row(&["", "Calls", "GPU Time", "Ratio (%)"]);
    sheet.rule();
    for row in table.rows.iter().filter(is_device) {
        sheet.row(&cells(row, "  "));
    }
    sheet.rule();
    sheet.notes(&table.notes);
    sheet.finish()
}

/// The printed cells of a row: name, calls, one cell for each five values of times, and one for the FLOPs in
/// the table of operators.
fn timed(row: &TableRow, name: String, unit: TimeUnit) -> Vec<String> {
    let calls = &row.cells[1];
    let times = row.cells[2..].chunks(5).map(|values| match values {
        [_, _, _, _, _] => five(values, calls, unit),
        flops => flops.iter().map(|value| one(value, unit)).collect(),
    });
    [name, one(calls, unit)].into_iter().chain(times).collect()
}

/// The widths of the columns, in characters: `name` for the first, for the others that of the widest cell or
/// a minimum.
fn widths<'a>(name: usize, columns: usize, rows: impl IntoIterator<Item = &'a Vec<String>>) -> Vec<usize> {
    let mut widths = vec![40; columns];
    (widths[0], widths[1]) = (name, 6);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row).skip(1) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths
}

fn model(table: &Table, unit: TimeUnit) -> String {
    let name = |at: usize, row: &TableRow| {
        format!("{}{}", if at == 0 { "" } else { "  " }, one(&row.cells[0], unit))
    };
    let rows: Vec<_> =
        table.rows.iter().enumerate().map(|(at, row)| timed(row, name(at, row), unit)).collect();
    let mut sheet = Sheet::new(widths(15, 4, &rows));
    head(&mut sheet, table.title, Some(unit), &["Name", "Calls", CPU, GPU]);
    rows.iter().for_each(|row| sheet.row(row));
    sheet.rule();
    sheet.notes(&table.notes);
    sheet.finish()
}

fn plain(table: &Table, unit: TimeUnit) -> String {
    let mut sheet = Sheet::new(vec![25; 3]);
    head(&mut sheet, table.title, Some(unit), &["Name", "Total Time", "Ratio (%)"]);
    for (at, row) in table.rows.iter().enumerate() {
        let name = format!("{}{}", if at == 0 { "" } else { "  " }, one(&row.cells[0], unit));
        sheet.row(&[name, one(&row.cells[1], unit), one(&row.cells[2], unit)]);
    }
    sheet.rule();
    sheet.notes(&table.notes);
    sheet.finish()
}

fn operator(table: &Table, unit: TimeUnit) -> String {
    fn add(row: &TableRow, indent: usize, unit: TimeUnit, out: &mut Vec<Vec<String>>) {
        let name = one(&row.cells[0], unit);
        // An operator's own name is not cut.
        let name = if indent == 0 { name } else { fit(&name, indent, OPERATOR) };
        out.push(timed(row, name, unit));
        // Operators, their inner events, the device work of those: no deeper.
        row.children.iter().for_each(|child| add(child, indent + 2, unit, out));
    }
    let threads: Vec<Vec<Vec<String>>> = table
        .rows
        .iter()
        .map(|thread| {
            let mut rows = Vec::new();
            thread.children.iter().for_each(|row| add(row, 0, unit, &mut rows));
            rows
        })
        .collect();
    let mut widths = widths(OPERATOR, 5, threads.iter().flatten());
    widths[4] = 10;
    let mut sheet = Sheet::new(widths);
    head(&mut sheet, table.title, Some(unit), &["Name", "Calls", CPU, GPU, "FLOPs"]);
    for (thread, rows) in table.rows.iter().zip(&threads) {
        sheet.title(&format!("Thread: {}", one(&thread.cells[0], unit)));
        rows.iter().for_each(|row| sheet.row(row));
    }
    sheet.rule();
    sheet.finish()
}

fn kernel(table: &Table, unit: TimeUnit) -> String {
    let name = |row: &TableRow| fit(without_arguments(&one(&row.cells[0], unit)), 0, KERNEL);
    let rows: Vec<_> = table.rows.iter().map(|row| timed(row, name(row), unit)).collect();
    let mut sheet = Sheet::new(widths(KERNEL, 3, &rows));
    head(&mut sheet, table.title, Some(unit), &["Name", "Calls", GPU]);
    rows.iter().for_each(|row| sheet.row(row));
    sheet.rule();
    sheet.finish()
}

/// Prints the rows of `lists` below one another. If `has_threads`, each list gets a title with the thread's
/// name, from the row of `table` at the list's index.
fn ranges(table: &Table, lists: &[Vec<TableRow>], has_threads: bool, unit: TimeUnit) -> String {
    let lists: Vec<Vec<Vec<String>>> = lists
        .iter()
        .map(|rows| rows.iter().map(|row| timed(row, one(&row.cells[0], unit), unit)).collect())
        .collect();
    let name = name_width(lists.iter().flatten().map(|row| row[0].as_str()));
    let mut sheet = Sheet::new(widths(name, 4, lists.iter().flatten()));
    head(&mut sheet, table.title, Some(unit), &["Name", "Calls", CPU, GPU]);
    for (at, rows) in lists.iter().enumerate() {
        if has_threads {
            sheet.title(&format!("Thread: {}", one(&table.rows[at].cells[0], unit)));
        }
        rows.iter().for_each(|row| sheet.row(row));
    }
    if !has_threads {
        sheet.rule();
    }
    sheet.finish()
}

fn memory(table: &Table, place: &TableRow, unit: TimeUnit) -> String {
    let mut sheet = Sheet::new(vec![50, 12, 15, 15, 15, 15, 15]);
    let cell = |value: &Value| one(value, unit);
    sheet.title(&format!("{} - {}", table.title, cell(&place.cells[0])));
    for (at, column) in table.columns.iter().enumerate().skip(7) {
        sheet.line(&format!("{}: {}", column.title, cell(&place.cells[at])));
    }
    sheet.rule();
    let headings: Vec<&str> = table.columns[..7].iter().map(|column| column.title.as_ref()).collect();
    sheet.row(&headings);
    sheet.rule();
    for row in &place.children {
        let cells: Vec<String> = row.cells[..7].iter().map(cell).collect();
        sheet.row(&cells);
    }
    sheet.finish()
}
