//! The binary as its users meet it: real processes, a temporary home, a free port, a scripted team.

mod audit;
mod backup;
mod config;
mod daemon;
mod demo;
mod detect;
mod doctor;
mod help;
mod in_force;
mod install;
mod monitor;
mod read;
mod serve;
mod service;
mod stop;
mod teams;
mod telemetry;
mod tell;
mod terminal;
mod up;
