//! The binary as its users meet it: real processes, a temporary home, a free port, a scripted team.

mod backup;
mod daemon;
mod detect;
mod doctor;
mod help;
mod monitor;
mod read;
mod serve;
mod stop;
mod tell;
mod terminal;
