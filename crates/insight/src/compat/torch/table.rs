//! The averages as a [`Table`] of raw values, for JSON, CSV and Markdown.

use crate::analysis::{Column, ColumnKind, Table, TableRow, Value};
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::average::{Average, Averages};

const NAME: Column = Column::new("name", "Name", ColumnKind::Text, "Name of the events");
const SIDE: Column = Column::new("side", "Side", ColumnKind::Text, "Where the events ran: host or device");
const CPU: [Column; 5] = [
    Column::new(
        "self_cpu_share",
        "Self CPU %",
        ColumnKind::Ratio,
        "Self CPU as a share of the Self CPU of all rows",
    ),
    Column::new(
        "self_cpu_time_total",
        "Self CPU",
        ColumnKind::Duration,
        "Host self time: summed time of the events without their children",
    ),
    Column::new(
        "cpu_share",
        "CPU total %",
        ColumnKind::Ratio,
        "CPU total as a share of the Self CPU of all rows",
    ),
    Column::new(
        "cpu_time_total",
        "CPU total",
        ColumnKind::Duration,
        "Host time of the events, children included",
    ),
    Column::new(
        "cpu_time",
        "CPU time avg",
        ColumnKind::Duration,
        "Average host time per event, children included",
    ),
];
const DEVICE: [Column; 4] = [
    Column::new(
        "self_device_time_total",
        "Self device",
        ColumnKind::Duration,
        "Time of device events; of operators, of the device work and waits that they started themselves",
    ),
    Column::new(
        "self_device_share",
        "Self device %",
        ColumnKind::Ratio,
        "Self device as a share of the Self device of all device rows but user annotations; by DeepLink's \
         rules, of all host rows",
    ),
    Column::new(
        "device_time_total",
        "Device total",
        ColumnKind::Duration,
        "Self device of the events, children included",
    ),
    Column::new(
        "device_time",
        "Device time avg",
        ColumnKind::Duration,
        "Average device time per event, children included",
    ),
];
const MEMORY: [Column; 4] = [
    Column::new(
        "cpu_memory_usage",
        "CPU Mem",
        ColumnKind::Bytes,
        "Host memory allocated minus freed during the host events, children included; of [OutOfMemory], \
         memory that could not be allocated",
    ),
    Column::new(
        "self_cpu_memory_usage",
        "Self CPU Mem",
        ColumnKind::Bytes,
        "Host memory allocated minus freed during the host events, without children; of [OutOfMemory], \
         memory that could not be allocated",
    ),
    Column::new(
        "device_memory_usage",
        "Device Mem",
        ColumnKind::Bytes,
        "Device memory allocated minus freed during the host events, children included; of [OutOfMemory], \
         memory that could not be allocated",
    ),
    Column::new(
        "self_device_memory_usage",
        "Self device Mem",
        ColumnKind::Bytes,
        "Device memory allocated minus freed during the host events, without children; of [OutOfMemory], \
         memory that could not be allocated",
    ),
];
const COUNT: Column = Column::new("count", "# of Calls", ColumnKind::Count, "Number of events");
const SHAPES: Column = Column::new(
    "input_shapes",
    "Input Shapes",
    ColumnKind::Text,
    "Shapes of the operator's inputs; [] for those that are no single tensor",
);
const SOURCE: Column = Column::new(
    "source_location",
    "Source Location",
    ColumnKind::Text,
    "Stack frames by which rows are grouped, innermost first",
);
const FLOPS: Column = Column::new(
    "flops",
    "Total FLOPs",
    ColumnKind::Count,
    "Floating point operations of the events, computed from their inputs",
);

fn ns(micros: f64) -> Value {
    Value::Duration(saturate::<Ns>((micros * 1000.0).round()))
}

fn share(part: f64, whole: f64) -> Value {
    if whole == 0.0 { Value::Empty } else { Value::Ratio(part / whole) }
}

impl Averages {
    /// Builds the table of the averages, with the rows in their present order.
    pub fn table(&self) -> Table {
        let has_stack = self.rows.iter().any(|row| !row.stack.is_empty());
        let mut columns = vec![NAME, SIDE];
        columns.extend(CPU);
        columns.extend(self.device.iter().flat_map(|_| DEVICE));
        columns.extend(self.has_memory.then_some(MEMORY).into_iter().flatten());
        columns.push(COUNT);
        columns.extend(self.is_by_shape().then_some(SHAPES));
        columns.extend(has_stack.then_some(SOURCE));
        columns.extend(self.has_flops.then_some(FLOPS));
        let totals = (self.self_cpu_total(), self.self_device_total());
        let shown = (self.is_by_shape(), has_stack);
        let rows = self.rows.iter().map(|row| TableRow {
            cells: self.cells(row, totals, shown),
            children: Vec::new(),
            longest: row.longest,
        });
        Table {
            view: "keyavg",
            title: "Averages (torch's key_averages())",
            columns,
            rows: rows.collect(),
            notes: self.notes(),
            ..Table::default()
        }
    }

    fn cells(
        &self,
        row: &Average,
        (cpu, device): (f64, f64),
        (shows_shapes, shows_stack): (bool, bool),
    ) -> Vec<Value> {
        let mut cells = vec![
            Value::Text(row.name.clone()),
            Value::text(if row.is_device { "device" } else { "host" }),
            share(row.self_cpu, cpu),
            ns(row.self_cpu),
            share(row.cpu_total, cpu),
            ns(row.cpu_total),
            ns(row.cpu_time()),
        ];
        if self.device.is_some() {
            cells.extend([
                ns(row.self_device),
                share(row.self_device, device),
                ns(row.device_total),
                ns(row.device_time()),
            ]);
        }
        if self.has_memory {
            let bytes = [row.cpu_memory, row.self_cpu_memory, row.device_memory, row.self_device_memory];
            cells.extend(bytes.map(Value::Bytes));
        }
        cells.push(Value::Count(row.count));
        if shows_shapes {
            cells.push(Value::Text(row.shapes.clone()));
        }
        if shows_stack {
            let frames: Vec<&str> = row.stack.iter().map(proftui_base::text::SafeText::as_str).collect();
            cells.push(Value::text(&frames.join("; ")));
        }
        if self.has_flops {
            cells.push(if row.flops > 0 { Value::Count(row.flops) } else { Value::Empty });
        }
        cells
    }
}
