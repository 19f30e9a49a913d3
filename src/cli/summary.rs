//! `proftui summary`: prints summary tables on standard output.
//!
//! Owns the choice of the layout. The own options of each layout and its printing are in a file per layout;
//! `common` has the options that several layouts take.

mod common;
mod filter;
mod flame;
mod fluid;
mod layout;
mod misuse;
mod output;
mod own;
mod paddle;
mod torch;
mod visualdl;

use crate::cli::output::streams::Failure;

use common::CommonArgs;
use layout::{Given, Layout, Restricted, or_exit};

#[derive(Debug, clap::Args)]
pub(super) struct SummaryArgs {
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    own: Given<own::OwnArgs>,
    #[command(flatten)]
    flame: Given<flame::FlameArgs>,
    #[command(flatten)]
    torch: Given<torch::TorchArgs>,
    #[command(flatten)]
    version: Given<torch::VersionArgs>,
    #[command(flatten)]
    paddle: Given<paddle::PaddleArgs>,
    #[command(flatten)]
    fluid: Given<fluid::FluidArgs>,
}

/// Prints the summaries in the layout asked for. Options that the layout does not take, or that do not go
/// together, usually end the process with exit status 2.
pub(super) fn run(args: &SummaryArgs) -> Result<(), Failure> {
    let common = &args.common;
    let layout = common.layout();
    let own: [&dyn Restricted; 6] =
        [&args.own, &args.flame, &args.torch, &args.version, &args.paddle, &args.fluid];
    or_exit(own.into_iter().chain(common.restricted()).try_for_each(|options| options.check(layout)));
    or_exit(common.check_format());
    match layout {
        Layout::Proftui => own::run(common, &args.own, &args.flame),
        Layout::Torch => {
            let version = args.version.torch_version;
            torch::run(common, &args.torch, |trace| torch::rules_of(trace, version))
        }
        Layout::Deeplink => torch::run(common, &args.torch, |_| torch::Rules::DeepLink),
        Layout::Fluid => fluid::run(common, &args.fluid),
        Layout::Paddle => paddle::run(common, &args.paddle),
        Layout::Visualdl => visualdl::run(common),
    }
}
